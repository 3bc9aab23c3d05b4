// Names of parameters in the query of a URL.

/** The name of a parameter as it is compared: `%74oken` and `Token` are `token`. */
export function parameterNameOf(written: string): string {
  const plain = written.replaceAll('+', ' ')
  return decoded(plain)
    .toLowerCase()
    .replace(/^(?:amp;)+(?=.)/, '')
}

/** `text` without percent-encoding; as it is where that is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
