// Files dropped anywhere on the page.
function carriesFiles(event: DragEvent): boolean {
    return event.dataTransfer?.types.includes("Files") ?? false;
}

export function onDrop(take: (file: File) => void): void {
    let inside = 0;

    function mark(by: number): void {
        inside = Math.max(0, inside + by);
        document.body.classList.toggle("dropping", inside > 0);
    }

    addEventListener("dragenter", (event) => carriesFiles(event) && mark(1));
    addEventListener("dragleave", (event) => carriesFiles(event) && mark(-1));
    addEventListener("dragover", (event) => {
        if (carriesFiles(event)) {
            event.preventDefault();
        }
    });
    addEventListener("drop", (event) => {
        if (!carriesFiles(event)) {
            return;
        }
        event.preventDefault();
        mark(-inside);
        const file = event.dataTransfer?.files[0];
        if (file) {
            take(file);
        }
    });
}
