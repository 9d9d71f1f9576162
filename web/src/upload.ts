// Sends a file to the daemon. XMLHttpRequest, because fetch does not tell how far an upload is.
import type { Summary } from "./api";
import { Problem, problemFrom, unreachable } from "./problem";

export interface Upload {
    done: Promise<Summary>; // rejects with a Problem
    cancel(): void;
}

export function upload(file: File, progress: (sent: number, total: number) => void): Upload {
    const request = new XMLHttpRequest();
    const done = new Promise<Summary>((resolve, reject) => {
        request.upload.addEventListener("progress", (event) => progress(event.loaded, event.total));
        request.addEventListener("load", () => {
            if (request.status >= 200 && request.status < 300) {
                resolve(JSON.parse(request.responseText) as Summary);
            } else {
                reject(problemFrom(request.status, request.responseText));
            }
        });
        request.addEventListener("error", () => reject(unreachable()));
        request.addEventListener("abort", () => reject(new Problem("Cancelled", "")));
    });
    request.open("POST", "/v1/models");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
    return { done, cancel: () => request.abort() };
}
