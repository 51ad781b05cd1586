import { useEffect, useState } from "preact/hooks";
import { browserStorage, shelf } from "../shared/kept";

const CHOICES = ["system", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];
const kept = shelf("beholder:view:", browserStorage());

/** Light, dark, or as the system has it; kept in this browser. */
export function Theme() {
  const [choice, setChoice] = useState<Choice>(() => {
    const known = kept.get("theme");
    return CHOICES.find((one) => one === known) ?? "system";
  });
  useEffect(() => {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    kept.put("theme", choice);
  }, [choice]);
  return (
    <label>
      <span class="unseen">colours</span>
      <select value={choice} onChange={(event) => setChoice(event.currentTarget.value as Choice)}>
        {CHOICES.map((one) => (
          <option key={one} value={one}>
            {one === "system" ? "auto" : one}
          </option>
        ))}
      </select>
    </label>
  );
}
