// Reads what /etc/resolv.conf says of names that are not written in full (resolv.conf(5)). Its name servers are c-ares' business. Pure.

/** Which endings a name is tried with. */
export interface SearchRules {
  /** In the order to try them. */
  readonly search: readonly string[]
  /** A name with fewer dots is tried with the endings, too. */
  readonly dots: number
}

/** glibc takes six. */
const MAX_ENDINGS = 6
/** glibc's own maximum. */
const MAX_DOTS = 15

/** The rules in `text`. Of several `search` or `domain` lines the last one counts. */
export function readSearchRules(text: string): SearchRules {
  let rules: SearchRules = { search: [], dots: 1 }
  for (const line of text.split('\n')) {
    const [word = '', ...rest] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (word === 'search' || word === 'domain') {
      const endings = rest.map((each) => each.toLowerCase().replace(/\.$/, '')).filter((each) => each !== '')
      rules = { ...rules, search: endings.slice(0, word === 'domain' ? 1 : MAX_ENDINGS) }
    }
    const dots = word === 'options' ? /^ndots:(\d+)$/.exec(rest.find((each) => each.startsWith('ndots:')) ?? '')?.[1] : undefined
    if (dots !== undefined) rules = { ...rules, dots: Math.min(Number(dots), MAX_DOTS) }
  }
  return rules
}
