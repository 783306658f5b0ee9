import { mount } from "svelte"
import "$schema/palette.css"
import "./app.css"
import App from "./App.svelte"
import { settings } from "./settings.svelte"
import { trusted } from "./trusted"
import { speak } from "./words/words.svelte"

await speak(settings.language)
mount(App, { target: document.getElementById("app")! })

if (import.meta.env.PROD && "serviceWorker" in navigator)
  void navigator.serviceWorker.register(trusted.createScriptURL("/worker.js"))
