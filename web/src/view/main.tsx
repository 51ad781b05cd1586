import { render } from "preact";
import "../shared/shared.css";
import "./view.css";
import { Shell } from "./Shell";
import { sourceHere } from "./source";

// The token is in a cookie by now; it need not stay in the address and the history.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const place = document.getElementById("page");
if (place) {
  place.replaceChildren();
  void sourceHere().then((source) => render(<Shell source={source} />, place));
}
