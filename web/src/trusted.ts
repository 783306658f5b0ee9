/** Trusted Types: the only places where this page makes markup, or the address of a script, from a text. */

interface Policy {
  createHTML: (text: string) => string
  createScriptURL: (address: string) => string
}

const rules: Policy = {
  /** For texts that came with the build, and for pictures that the rules of a game draw: markup that is put into a page
   * after it was loaded runs no script, and the Content Security Policy lets none stand in an attribute. */
  createHTML: (text) => text,
  createScriptURL: (address) => {
    if (address !== "/worker.js") throw new TypeError(`not a script of ours: ${address}`)
    return address
  },
}

interface Factory {
  createPolicy: (name: string, rules: Policy) => Policy
}

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes
/** Browsers that know no Trusted Types take texts as they are. */
export const trusted: Policy = factory?.createPolicy("sobremesa", rules) ?? rules
