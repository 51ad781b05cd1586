import type { Route } from "../router";

export function SamplePage({ route }: { route: Route }) {
  return <p class="soft">{route.page}</p>;
}
