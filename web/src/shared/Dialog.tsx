import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A window over the page; Escape and a click beside it close it, and the focus goes back to where it was. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) props.onClose();
      }}
    >
      <div class="dialog-inside">
        <div class="dialog-head">
          <h2 id="dialog-title">{props.title}</h2>
          <button type="button" onClick={props.onClose}>
            Close
          </button>
        </div>
        {props.children}
      </div>
    </dialog>
  );
}
