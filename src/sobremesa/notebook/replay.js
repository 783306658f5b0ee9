/** A game to step through: the picture comes from Python, an event at a time. */
function render({ model, el }) {
  el.innerHTML = `
    <div class="sobremesa-replay" tabindex="0" role="group" aria-label="Replay">
      <div data-picture></div>
      <div style="display:flex;gap:0.5em;align-items:center;margin-top:0.5em">
        <button type="button" data-to="first" aria-label="First">⏮</button>
        <button type="button" data-to="back" aria-label="Back">◀</button>
        <input type="range" min="0" step="1" aria-label="Event" style="flex:1">
        <button type="button" data-to="on" aria-label="On">▶</button>
        <button type="button" data-to="last" aria-label="Last">⏭</button>
      </div>
      <output aria-live="polite"></output>
    </div>`;
  const part = (selector) => el.querySelector(selector);
  const whole = part(".sobremesa-replay");
  const go = (at) => {
    model.set("at", Math.max(0, Math.min(model.get("last"), at)));
    model.save_changes();
  };
  const ways = {
    first: () => 0,
    back: () => model.get("at") - 1,
    on: () => model.get("at") + 1,
    last: () => model.get("last"),
  };
  for (const button of el.querySelectorAll("button")) {
    button.addEventListener("click", () => go(ways[button.dataset.to]()));
  }
  part("input").addEventListener("input", (event) => go(Number(event.target.value)));
  whole.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (way && event.target.tagName !== "INPUT") {
      event.preventDefault();
      event.stopPropagation();
      go(ways[way]());
    }
  });
  const show = () => {
    part("[data-picture]").innerHTML = model.get("svg");
    part("input").max = model.get("last");
    part("input").value = model.get("at");
    part("output").textContent = `${model.get("at")} / ${model.get("last")}  ${model.get("event")}`;
  };
  model.on("change:svg", show);
  model.on("change:at", show);
  show();
}

export default { render };
