// An error as the daemon describes it (RFC 9457), or as the page does when it could not ask.
export interface Fact {
    name: string;
    value: string;
}

export class Problem extends Error {
    constructor(
        readonly title: string,
        readonly detail: string,
        readonly status = 0,
        readonly facts: Fact[] = [],
        readonly alternative: string | null = null,
    ) {
        super(detail || title);
    }
}

const FAILURE = 500; // from here on the reader may want to report it
const REQUEST = "Request";

const FACTS: [member: string, name: string][] = [
    ["offset", "At byte"],
    ["field", "In field"],
    ["hint", "Hint"],
    ["setting", "Set by"],
    ["retry_after", "Try again in seconds"],
    ["request_id", REQUEST],
];

export function unreachable(): Problem {
    return new Problem("The server does not answer", "Is it still running? Try again in a moment.");
}

function parse(body: string): Record<string, unknown> {
    try {
        const value: unknown = JSON.parse(body);
        return value && typeof value === "object" ? (value as Record<string, unknown>) : {};
    } catch {
        return {};
    }
}

function text(value: unknown): string {
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function problemFrom(status: number, body: string): Problem {
    const members = parse(body);
    const facts = FACTS.map(([member, name]) => ({ name, value: text(members[member]) }));
    const isExplained = status < FAILURE;
    return new Problem(
        text(members.title) || `The server answered ${status}`,
        text(members.detail),
        status,
        facts.filter((fact) => fact.value && !(isExplained && fact.name === REQUEST)),
        text(members.alternative) || null,
    );
}

export function asProblem(error: unknown): Problem {
    return error instanceof Problem
        ? error
        : new Problem("The page failed", error instanceof Error ? error.message : String(error));
}
