// Text of models and people, as it is shown. Preact escapes markup; what is left is what hides, turns or floods text.

// Controls but for tab and line feed, direction overrides and isolates, and invisible characters that can hide words.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\p{Surrogate}/gu;

// More marks over one letter than any script needs: they reach over what stands beside them.
const PILED = /(\p{M}{6})\p{M}+/gu;

/** The text with each character that cannot be seen named: `a⟦202E⟧b`. */
export function visible(text: string): string {
  const lines = text.replace(/\r\n?|\u2028|\u2029/g, "\n").replace(PILED, "$1⟦…⟧");
  return lines.replace(HIDDEN, (char) => {
    const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return `⟦${code}⟧`;
  });
}

/** At most `limit` characters; where more were there, an ellipsis ends it. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 2);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 2 : limit - 1) + "…";
}
