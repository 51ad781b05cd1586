// Keys of the keyboard by names that do not depend on its layout more than they must: "j", "shift+s", "ctrl+enter", "?".

export interface Pressed {
  key: string;
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The name of what was pressed; "" for what is the browser's own. */
export function chordOf(event: Pressed): string {
  if (event.altKey) return "";
  const command = event.ctrlKey || event.metaKey;
  if (command) return event.key === "Enter" ? "ctrl+enter" : "";
  if (event.key.length > 1) return event.key.toLowerCase();
  if (/^[0-9]$/.test(event.key)) return event.key; // also where digits need the shift key
  const digit = /^Digit([0-9])$/.exec(event.code);
  if (digit && event.shiftKey) return `shift+${digit[1]}`;
  const letter = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : letterAt(event);
  if (letter) return event.shiftKey ? `shift+${letter}` : letter;
  return event.key;
}

/** On a keyboard without Latin letters: the letter that is at this place elsewhere. */
function letterAt(event: Pressed): string {
  const found = /^Key([A-Z])$/.exec(event.code);
  return found && event.key.charCodeAt(0) > 0x7f ? found[1]!.toLowerCase() : "";
}

/** A chord as it is printed on a button. */
export function shownChord(chord: string): string {
  return (chord.length === 1 ? [chord] : chord.split("+"))
    .map((part) => ({ shift: "⇧", ctrl: "Ctrl", enter: "↵", escape: "Esc" })[part] ?? part.toUpperCase())
    .join(" ");
}

/** Whether keys are being written into a field, so that letters are no commands. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox", "button"].includes(target.type);
}
