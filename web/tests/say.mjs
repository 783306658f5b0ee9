/** Says messages as the page does: cases of [language, message, values] come as JSON, sentences go. */
import { readFileSync } from "node:fs"
import MessageFormat from "@messageformat/core"

const formats = {}
const said = JSON.parse(readFileSync(0, "utf8")).map(([language, message, values]) => {
  const format = (formats[language] ??= { of: new MessageFormat(language), done: {} })
  return (format.done[message] ??= format.of.compile(message))(values)
})
process.stdout.write(JSON.stringify(said))
