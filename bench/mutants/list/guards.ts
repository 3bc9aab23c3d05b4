// Ways to break the guards: of addresses, ports, bytes and names.
import { caught, harmless, type Mutant } from '../mutant.ts'

export const GUARDS: readonly Mutant[] = [
  ...caught(
    'packages/core/src/url/address-guard.ts',
    ['packages/core/test/url/address-guard.test.ts'],
    [
      { name: 'lets multicast through', find: "'223.255.255.255', 'ipv4'", replace: "'239.255.255.255', 'ipv4'" },
      { name: 'lets all of IPv6 through', find: "addSubnet('2000::', 3, 'ipv6')", replace: "addSubnet('::', 0, 'ipv6')" },
      {
        name: 'lets through what is no address',
        find: 'return family === 0 || !isGlobalV6(bare)',
        replace: 'return family !== 0 && !isGlobalV6(bare)',
      },
      { name: 'lets scoped addresses through', find: "address.split('%', 1)[0] ?? ''", replace: 'address' },
      {
        name: 'lets reserved blocks through',
        find: 'UNICAST[family].check(address, family) && !REFUSED[family].check(address, family)',
        replace: 'UNICAST[family].check(address, family)',
      },
      {
        name: 'lets mapped addresses through',
        find: "if (form !== undefined && !isGlobal(lastFourBytes(groups), 'ipv4')) return false",
        replace: "if (form === 'behind' && !isGlobal(lastFourBytes(groups), 'ipv4')) return false",
      },
      {
        name: 'lets public addresses behind private prefixes through',
        find: "return form === 'alone' || isGlobal(address, 'ipv6')",
        replace: "return form !== undefined || isGlobal(address, 'ipv6')",
      },
      {
        name: 'refuses public addresses through a translator',
        find: "  if (noneBetween && a === 0x64 && b === 0xff9b && f === 0) return 'alone'\n",
        replace: '',
      },
      { name: 'reads the wrong half of an embedded address', find: 'groups.slice(-2)', replace: 'groups.slice(-3)' },
    ],
  ),
  ...caught(
    'packages/core/src/url/address-guard.ts',
    ['packages/core/test/url/special-addresses.test.ts'],
    [
      {
        name: 'lets ISATAP through',
        find: "return f === 0x5efe && (e === 0 || e === 0x0200) ? 'behind' : undefined",
        replace: 'return undefined',
      },
      { name: 'lets unique ISATAP through', find: '(e === 0 || e === 0x0200)', replace: 'e === 0' },
      { name: 'refuses what the registry calls reachable', find: 'if (!isReachable) list.addSubnet', replace: 'list.addSubnet' },
    ],
  ),
  ...caught(
    'packages/core/src/url/host-limits.ts',
    ['packages/core/test/url/bad-port.test.ts'],
    [
      {
        name: 'speaks to mail servers',
        find: "'0 1 7 9 11 13 15 17 19 20 21 22 23 25 37",
        replace: "'0 1 7 9 11 13 15 17 19 20 21 22 23 37",
      },
    ],
  ),
  ...caught(
    'packages/core/src/byte-budget.ts',
    ['packages/core/test/byte-budget.test.ts'],
    [
      { name: 'uses the whole budget', find: 'const USED_SHARE = 0.75', replace: 'const USED_SHARE = 1' },
      { name: 'leaves room for one copy', find: 'const COPIES = 2', replace: 'const COPIES = 1' },
      {
        name: 'takes a body that just fits for one that does not',
        find: 'return COPIES * heldBytes <= free &&',
        replace: 'return COPIES * heldBytes < free &&',
      },
      {
        name: 'keeps nothing for small bodies',
        find: ' && (isSmall || free >= KEPT_SHARE * this.totalBytes)',
        replace: '',
      },
      {
        name: 'knows no small body of a small budget',
        find: 'Math.max(LEAST_SMALL_BYTES, SMALL_SHARE * this.totalBytes)',
        replace: 'SMALL_SHARE * this.totalBytes',
      },
      {
        name: 'lets no body use what is kept',
        find: '(isSmall || free >= KEPT_SHARE * this.totalBytes)',
        replace: 'free >= KEPT_SHARE * this.totalBytes',
      },
      {
        name: 'never looks after bytes are let go of',
        find: '    if (this.#waiting.size > 0) this.#lookSoon()\n  }\n\n  /** Whether a body that',
        replace: '  }\n\n  /** Whether a body that',
      },
      {
        name: 'lets all go on at once',
        find: 'if (!this.#waiting.has(waiter) || !this.hasRoom(waiter.heldBytes)) continue',
        replace: 'if (!this.#waiting.has(waiter)) continue',
      },
      {
        name: 'refuses the smallest',
        find: 'waiter.heldBytes > largest.heldBytes) largest = waiter',
        replace: 'waiter.heldBytes < largest.heldBytes) largest = waiter',
      },
      { name: 'lets all wait for ever', find: '    if (this.#isStuck) this.refuseLargest()\n', replace: '' },
      {
        name: 'takes a body that is alone for one that could go on',
        find: 'return (1 + COPIES) * heldBytes <= this.#mostBytes',
        replace: 'return COPIES * heldBytes <= this.#mostBytes',
      },
    ],
  ),
  ...harmless('packages/core/src/byte-budget.ts', [
    {
      name: 'does not look at those that wait when another leaves',
      find: 'if (this.#waiting.delete(waiter) && this.#waiting.size > 0) this.#lookSoon()',
      replace: 'this.#waiting.delete(waiter)',
      harmless: 'whoever leaves releases what it held, before or after, and that looks at those that wait as well',
    },
  ]),
  ...caught(
    'packages/fetcher-http/src/names/name-cache.ts',
    ['packages/fetcher-http/test/names/name-cache.test.ts'],
    [
      {
        name: 'uses an answer for two minutes that says nothing of its lifetime',
        find: 'const UNTOLD_MS = 60_000',
        replace: 'const UNTOLD_MS = 120_000',
      },
      { name: 'uses an answer for five seconds at least', find: 'const LEAST_MS = 10_000', replace: 'const LEAST_MS = 5_000' },
      { name: 'uses an answer for two hours', find: 'const MOST_MS = 3_600_000', replace: 'const MOST_MS = 7_200_000' },
      { name: 'asks for a failed name after ten seconds', find: 'const FAILED_MS = 5_000', replace: 'const FAILED_MS = 10_000' },
      { name: 'uses an old answer for two hours', find: 'const STALE_MS = 3_600_000', replace: 'const STALE_MS = 7_200_000' },
      {
        name: 'asks once a minute while the old answer is used',
        find: 'const STALE_AGAIN_MS = 30_000',
        replace: 'const STALE_AGAIN_MS = 60_000',
      },
      { name: 'waits two seconds for a new answer', find: 'const PATIENCE_MS = 1_000', replace: 'const PATIENCE_MS = 2_000' },
      { name: 'remembers names without end', find: 'known.size > MAX_NAMES ?', replace: 'known.size < 0 ?' },
      { name: 'tries sixteen addresses', find: 'const MAX_ADDRESSES = 8', replace: 'const MAX_ADDRESSES = 16' },
      {
        name: 'forgets the name that was asked for last',
        find: '    known.delete(hostname)\n    known.set(hostname, entry)',
        replace: '    known.set(hostname, entry)',
      },
      {
        name: 'asks twice for a name that is being asked for',
        find: '    if (question === undefined) return ask(hostname, answer)\n',
        replace: '    if (question === undefined || question.late) return ask(hostname, answer)\n',
      },
      {
        name: 'has those wait that the old answer could serve',
        find: 'if (question.late && entry !== undefined && isUsable(entry, now)) return answer(entry.resolution)',
        replace: 'if (false) return answer(entry.resolution)',
      },
      {
        name: 'uses an answer in its last moment',
        find: 'if (entry !== undefined && now < entry.until)',
        replace: 'if (entry !== undefined && now <= entry.until)',
      },
      {
        name: 'remembers a name that does not exist any more',
        find: 'if (isMissing(resolution.error)) return { resolution, until',
        replace: 'if (isMissing(resolution.error) && old === undefined) return { resolution, until',
      },
      { name: 'answers twice', find: '      if (over) return\n', replace: '' },
      { name: 'leaves its timer behind after an answer', find: '      timer?.[Symbol.dispose]()\n', replace: '' },
    ],
  ),
]
