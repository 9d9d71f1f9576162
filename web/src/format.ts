// Numbers and shapes as people read them.
import type { Count, TensorType } from "./api";

const plain = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];
const SPANS: [seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
];

export function count(n: Count | undefined): string {
    if (n === null || n === undefined) {
        return "";
    }
    return typeof n === "number" ? plain.format(n) : n;
}

// "11,680,872 (11.7M)"
export function countWithShort(n: Count | undefined): string {
    return typeof n === "number" && n >= 10000 ? `${count(n)} (${short.format(n)})` : count(n);
}

export function bytes(n: Count | undefined): string {
    if (typeof n !== "number") {
        return n ?? "";
    }
    let unit = 0;
    let value = n;
    while (value >= 1000 && unit < UNITS.length - 1) {
        value /= 1000;
        unit++;
    }
    return `${unit && value < 100 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

export function shape(type: TensorType): string {
    const dims = type.shape?.map((dim) => (dim === null ? "?" : String(dim)));
    const text = dims ? `(${dims.join(", ")})` : "shape unknown";
    return type.dtype ? `${type.dtype} ${text}` : text;
}

export function ago(time: string): string {
    const seconds = (Date.now() - Date.parse(time)) / 1000;
    const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    for (const [span, name] of SPANS) {
        if (seconds >= span) {
            return relative.format(-Math.floor(seconds / span), name);
        }
    }
    return "just now";
}

export function plural(n: number, one: string, many = `${one}s`): string {
    return `${count(n)} ${n === 1 ? one : many}`;
}
