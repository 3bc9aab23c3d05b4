// Which line of robots.txt decides about a URL, to be shown: by the plugin's own matcher, from what it keeps of the file.
import { decidingRule, parseRobots } from '@avocet/plugin-robots'

/** `Disallow: /cart`; undefined when no line is about `url`, or when nothing is kept. `memory`: of a host, at rest. */
export function robotsRule(
  memory: Readonly<Record<string, string>>,
  url: string,
): { readonly allows: boolean; readonly line: string } | undefined {
  const kept = memory[`#robots ${new URL(url).origin}`]
  // What is kept is what concerns us, for everybody to read.
  const rule = kept === undefined ? undefined : decidingRule(parseRobots(kept), '*', url)
  return rule && { allows: rule.allow, line: `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}` }
}
