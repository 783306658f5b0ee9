// Plays any legal move, in Node: sobremesa seat URL -- node examples/bots/random.mjs
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "decide") {
    const move = message.legal[Math.floor(Math.random() * message.legal.length)];
    console.log(JSON.stringify({ move }));
  } else if (message.type === "over") {
    console.error("scores:", message.scores);
  }
}
