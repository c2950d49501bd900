// What every page has. Each module finds its elements by data attributes, and pages work without any of them.
import { watchFilters } from "./filters.js";
import { watchKeyboard } from "./keyboard.js";
import { watchLive } from "./live.js";
import { watchMenus } from "./menus.js";
import { watchForms } from "./forms.js";
import { watchUploads } from "./uploads.js";

document.documentElement.classList.add("scripted");
watchMenus();
watchFilters();
watchForms();
watchKeyboard();
watchUploads();
watchLive();
