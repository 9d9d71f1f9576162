// Copying text, also where the clipboard API is absent: pages over plain HTTP.
function copyBySelection(text: string): boolean {
    const area = document.createElement("textarea");
    area.value = text;
    area.readOnly = true;
    area.className = "unseen";
    document.body.append(area);
    const focused = document.activeElement as HTMLElement | null;
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return copied;
}

export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copyBySelection(text);
    }
}

// A button that copies and says so; `text` is asked when it is pressed.
export function bindCopy(target: HTMLButtonElement, text: () => string): void {
    const label = target.textContent;
    target.addEventListener("click", async () => {
        const done = await copyText(text());
        target.textContent = done ? "Copied" : "Press Ctrl+C";
        setTimeout(() => (target.textContent = label), 1500);
    });
}
