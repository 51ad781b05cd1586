import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Refused, ask } from "../shared/api";
import { browserStorage, shelf } from "../shared/kept";
import { DeskView } from "./DeskView";
import type { Project } from "./types";

const people = shelf("beholder:person:", browserStorage());

/** Asks once who is there, reads the project, and sits down at the desk. */
export function App() {
  const [project, setProject] = useState<Project | null>(null);
  const [trouble, setTrouble] = useState("");
  const [author, setAuthor] = useState(() => {
    const kept = people.get("name");
    return typeof kept === "string" ? kept : "";
  });

  useEffect(() => {
    ask<Project>("/api/project").then(
      (found) => {
        document.title = `${found.form.title} · Annotate`;
        setProject(found);
      },
      (error: unknown) => setTrouble(error instanceof Refused ? error.message : String(error)),
    );
  }, []);

  if (trouble)
    return (
      <main class="gate">
        <p class="warn" role="alert">
          {trouble}
        </p>
      </main>
    );
  if (!project) return <main class="gate soft">Reading the project…</main>;
  if (!author)
    return (
      <Gate
        project={project}
        onName={(name) => {
          people.put("name", name);
          setAuthor(name);
        }}
      />
    );
  const leave = () => {
    people.drop("name");
    setAuthor("");
  };
  return <DeskView key={author} project={project} author={author} onLeave={leave} />;
}

function Gate({ project, onName }: { project: Project; onName: (name: string) => void }) {
  const [name, setName] = useState("");
  // Not by `autofocus`, which comes late, and complains where one has begun to write already.
  const place = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => place.current?.focus(), []);
  const { form, progress } = project;
  return (
    <main class="gate">
      <h1>{form.title}</h1>
      <p>
        {form.mode === "shared"
          ? `${progress.items - progress.done} of ${progress.items} items are to be done. All share the same decisions.`
          : `${progress.items} items. Everybody decides for themselves, so that agreement can be measured.`}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) onName(name.trim());
        }}
      >
        <label for="author">Your name</label>
        <input
          id="author"
          type="text"
          dir="auto"
          ref={place}
          required
          maxLength={project.limits.name}
          autocomplete="name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p class="help">Every decision is kept with it. Use the same name each time.</p>
        <button type="submit" class="primary">
          Begin
        </button>
      </form>
    </main>
  );
}
