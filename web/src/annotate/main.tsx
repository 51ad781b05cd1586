import { render } from "preact";
import "../shared/shared.css";
import "./annotate.css";
import { App } from "./App";

// The token is in a cookie by now; it need not stay in the address and the history.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const place = document.getElementById("page");
if (place) render(<App />, place);
