// File names of models that were uploaded with this browser: the daemon knows models by digest only.
const PREFIX = "onnxscope.name.";

export function rememberName(id: string, name: string): void {
    try {
        localStorage.setItem(PREFIX + id, name);
    } catch {
        // Storage may be switched off, or full: the digest has to do.
    }
}

export function nameOf(id: string): string | null {
    try {
        return localStorage.getItem(PREFIX + id);
    } catch {
        return null;
    }
}
