// Asking the server. Every error is a `Refused` with one plain sentence.

export class Refused extends Error {
  /** `status` is that of HTTP, 0 if the server could not be reached; `body` what else it said. */
  constructor(
    sentence: string,
    readonly status: number,
    readonly body: Record<string, unknown> = {},
  ) {
    super(sentence);
  }
}

export interface Asking {
  method?: "GET" | "PUT" | "POST";
  author?: string;
  body?: unknown;
}

export async function ask<T>(path: string, { method = "GET", author, body }: Asking = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (author !== undefined) headers["X-Author"] = encodeURIComponent(wellFormed(author));
  if (method !== "GET") headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers, cache: "no-store", redirect: "error" };
  if (method !== "GET") init.body = JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Refused("The server cannot be reached.", 0);
  }
  const said = await read(response);
  if (response.ok) return said as T;
  const sentence = typeof said.error === "string" ? said.error : `The server answered ${response.status}.`;
  throw new Refused(sentence, response.status, said);
}

async function read(response: Response): Promise<Record<string, unknown>> {
  try {
    const said: unknown = await response.json();
    return typeof said === "object" && said !== null ? (said as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Half of a surrogate pair cannot be sent in a header. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
