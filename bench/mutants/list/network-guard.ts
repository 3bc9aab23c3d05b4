// Ways to break the judgement whose a failure is, and the rest after one of ours.
import { caught, type Mutant } from '../mutant.ts'

export const NETWORK_GUARD: readonly Mutant[] = [
  ...caught(
    'packages/core/src/faults/network-guard.ts',
    ['packages/core/test/crawl/network-guard.test.ts'],
    [
      {
        name: 'takes nine silent hosts for a network that is down',
        find: 'const LEAST_HOSTS = 10',
        replace: 'const LEAST_HOSTS = 9',
      },
      { name: 'wants eleven silent hosts', find: 'const LEAST_HOSTS = 10', replace: 'const LEAST_HOSTS = 11' },
      {
        name: 'takes two known hosts among strangers for a network that is down',
        find: 'const LEAST_KNOWN = 3',
        replace: 'const LEAST_KNOWN = 2',
      },
      { name: 'wants four known hosts among strangers', find: 'const LEAST_KNOWN = 3', replace: 'const LEAST_KNOWN = 4' },
      { name: 'takes a fifth of the hosts for many', find: 'const ODD_RATIO = 0.3', replace: 'const ODD_RATIO = 0.2' },
      { name: 'wants half of the hosts', find: 'const ODD_RATIO = 0.3', replace: 'const ODD_RATIO = 0.5' },
      {
        name: 'takes two hosts without a route for a network that is down',
        find: 'const FEW_HOSTS = 3',
        replace: 'const FEW_HOSTS = 2',
      },
      { name: 'wants four hosts without a route', find: 'const FEW_HOSTS = 3', replace: 'const FEW_HOSTS = 4' },
      { name: 'takes one address without a route for all', find: 'const FEW_ADDRESSES = 2', replace: 'const FEW_ADDRESSES = 1' },
      { name: 'wants three addresses without a route', find: 'const FEW_ADDRESSES = 2', replace: 'const FEW_ADDRESSES = 3' },
      {
        name: 'forgives a host a hundred and twenty times',
        find: 'const MOST_EXCUSES = 60',
        replace: 'const MOST_EXCUSES = 120',
      },
      { name: 'forgives a host thirty times', find: 'const MOST_EXCUSES = 60', replace: 'const MOST_EXCUSES = 30' },
      {
        name: 'forgives a host once more than it may',
        find: 'if (times > MOST_EXCUSES) return THEIRS',
        replace: 'if (times >= MOST_EXCUSES) return THEIRS',
      },
      { name: 'forgives an unproven host twice', find: 'const UNPROVEN_TIMES = 3', replace: 'const UNPROVEN_TIMES = 2' },
      { name: 'forgives an unproven host six times', find: 'const UNPROVEN_TIMES = 3', replace: 'const UNPROVEN_TIMES = 6' },
      { name: 'forgives a fault of several ten times', find: 'const SEVERAL_TIMES = 20', replace: 'const SEVERAL_TIMES = 10' },
      { name: 'forgives a fault of several forty times', find: 'const SEVERAL_TIMES = 20', replace: 'const SEVERAL_TIMES = 40' },
      {
        name: 'forgives faults of this machine for half an hour',
        find: 'const HOUR_MS = 3_600_000',
        replace: 'const HOUR_MS = 1_800_000',
      },
      {
        name: 'forgives faults of this machine for two hours',
        find: 'const HOUR_MS = 3_600_000',
        replace: 'const HOUR_MS = 7_200_000',
      },
      {
        name: 'takes a fault after a minute for another time of trouble',
        find: 'const AGAIN_MS = 120_000',
        replace: 'const AGAIN_MS = 60_000',
      },
      {
        name: 'takes a fault after four minutes for the same trouble',
        find: 'const AGAIN_MS = 120_000',
        replace: 'const AGAIN_MS = 240_000',
      },
      { name: 'listens for twenty seconds', find: 'const SPAN_MS = 10_000', replace: 'const SPAN_MS = 20_000' },
      { name: 'listens for five seconds', find: 'const SPAN_MS = 10_000', replace: 'const SPAN_MS = 5_000' },
      { name: 'takes one second without an answer for quiet', find: 'const QUIET_MS = 2_000', replace: 'const QUIET_MS = 1_000' },
      {
        name: 'takes four seconds without an answer for quiet only',
        find: 'const QUIET_MS = 2_000',
        replace: 'const QUIET_MS = 4_000',
      },
      {
        name: 'compares with what was received two minutes ago',
        find: 'const RECENTLY_MS = 60_000',
        replace: 'const RECENTLY_MS = 120_000',
      },
      {
        name: 'compares with what was received half a minute ago',
        find: 'const RECENTLY_MS = 60_000',
        replace: 'const RECENTLY_MS = 30_000',
      },
      { name: 'takes a reset for silence', find: "AVO_RESET: 'alive'", replace: "AVO_RESET: 'silence'" },
      {
        name: 'takes a name that does not exist for an answer',
        find: "AVO_DNS_NOT_FOUND: 'silence'",
        replace: "AVO_DNS_NOT_FOUND: 'alive'",
      },
      {
        name: 'takes a refused connection for silence',
        find: "AVO_CONNECT_REFUSED: 'alive'",
        replace: "AVO_CONNECT_REFUSED: 'silence'",
      },
      { name: 'does not hear that trouble is over', find: '    return wasDown && !this.isDown\n', replace: '    return false\n' },
      {
        name: 'is not down while certificates fail',
        find: 'return this.#silence.isOn || this.#certificates.isOn',
        replace: 'return this.#silence.isOn',
      },
      {
        name: 'is not down while all are silent',
        find: 'return this.#silence.isOn || this.#certificates.isOn',
        replace: 'return this.#certificates.isOn',
      },
      { name: 'remembers excuses of a host that answered', find: '    this.#excuses.end(hostKey)\n', replace: '' },
      {
        name: 'remembers that a host was forgiven after it answered',
        find: '    if (this.#excused.size > 0) this.#excused.delete(hostKey)\n',
        replace: '',
      },
      {
        name: 'ends trouble with certificates by any plain answer',
        find: 'if (this.#certificates.isOn && this.#doubtedShare < ODD_RATIO) this.#certificates.end()',
        replace: 'this.#certificates.end()',
      },
      {
        name: 'never ends trouble with certificates by plain answers',
        find: '      if (this.#certificates.isOn && this.#doubtedShare < ODD_RATIO) this.#certificates.end()\n',
        replace: '',
      },
      {
        name: 'counts plain hosts from before a certificate was fine',
        find: '      if (this.#plain.size > 0) this.#plain.clear()\n',
        replace: '',
      },
      {
        name: 'counts doubted hosts from before a certificate was fine',
        find: '      if (this.#doubted.size > 0) this.#doubted.clear()\n',
        replace: '',
      },
      {
        name: 'never takes a certificate for evidence again',
        find: '      if (this.#suspects.size > 0) this.#suspects.delete(hostKey)\n',
        replace: '',
      },
      {
        name: 'does not end trouble with certificates when one is fine',
        find: '      this.#secureAt = now\n      this.#certificates.end()\n',
        replace: '      this.#secureAt = now\n',
      },
      {
        name: 'counts those that were silent before something was received',
        find: '    if (this.#known.size > 0) this.#known.clear()\n',
        replace: '',
      },
      {
        name: 'counts strangers that were silent before something was received',
        find: '    if (this.#strangers.size > 0) this.#strangers.clear()\n',
        replace: '',
      },
      { name: 'does not end silence when something is received', find: '    this.#silence.end()\n', replace: '' },
      {
        name: 'takes a failure during which others spoke for silence',
        find: 'const isQuiet = this.#receivedAt <= Math.max(since, now - QUIET_MS)',
        replace: 'const isQuiet = true',
      },
      {
        name: 'takes a failure for silence only if nothing was ever received',
        find: 'const isQuiet = this.#receivedAt <= Math.max(since, now - QUIET_MS)',
        replace: 'const isQuiet = this.#receivedAt === 0',
      },
      {
        name: 'does not know trouble that is known',
        find: '    if (this.#silence.isOn || this.#silence.isSpent) return this.#within(this.#silence, evidence, NO_NETWORK)\n',
        replace: '',
      },
      {
        name: 'begins trouble with one host without a route',
        find: "(kind === 'route' && this.#isCutOff(now))",
        replace: "kind === 'route'",
      },
      {
        name: 'takes a host that never answered for one that did',
        find: 'const silent = answered ? this.#known : this.#strangers',
        replace: 'const silent = this.#known',
      },
      {
        name: 'counts strangers after something was received',
        find: '(neverReceived && all >= LEAST_HOSTS)',
        replace: 'all >= LEAST_HOSTS',
      },
      {
        name: 'takes three known hosts among strangers for silence at once',
        find: 'all >= LEAST_HOSTS && now - this.#receivedAt >= SPAN_MS',
        replace: 'all >= LEAST_HOSTS',
      },
      {
        name: 'takes ten of a thousand hosts for many',
        find: 'return hosts >= LEAST_HOSTS && hosts >= ODD_RATIO * words.length',
        replace: 'return hosts >= LEAST_HOSTS',
      },
      {
        name: 'takes one of three hosts for many',
        find: 'return hosts >= LEAST_HOSTS && hosts >= ODD_RATIO * words.length',
        replace: 'return hosts >= ODD_RATIO * words.length',
      },
      {
        name: "takes a host without a route for nobody's where it is one of two",
        find: "const mayProve = kind === 'route' ? hosts >= FEW_HOSTS",
        replace: "const mayProve = kind === 'route' ? hosts >= 0",
      },
      {
        name: 'rests for silence after something was received',
        find: 'neverReceived && hosts >= LEAST_HOSTS',
        replace: 'hosts >= LEAST_HOSTS',
      },
      {
        name: 'takes a certificate for silence',
        find: '    const trouble = this.#certificates\n    this.#alive(now)\n',
        replace: '    const trouble = this.#certificates\n',
      },
      {
        name: 'counts a suspect again and again',
        find: 'if (!this.#suspects.has(hostKey) && this.#suspects.size < MAX_SUSPECTS)',
        replace: 'if (this.#suspects.size < MAX_SUSPECTS)',
      },
      {
        name: 'takes ten bad certificates among a thousand hosts for ours',
        find: '(this.#doubted.size >= LEAST_HOSTS && this.#doubtedShare >= ODD_RATIO)',
        replace: 'this.#doubted.size >= LEAST_HOSTS',
      },
      {
        name: 'rests for a bad certificate of one of few hosts',
        find: 'return hosts >= LEAST_HOSTS ? this.#unproven(evidence) : THEIRS\n  }\n\n  #judgeMachine',
        replace: 'return this.#unproven(evidence)\n  }\n\n  #judgeMachine',
      },
      {
        name: 'takes two hosts at fault for several',
        find: 'const several = lasts || this.#atFault.words(now).length >= FEW_HOSTS',
        replace: 'const several = lasts || this.#atFault.words(now).length >= 2',
      },
      {
        name: 'does not know that a fault lasts',
        find: 'const several = lasts || this.#atFault',
        replace: 'const several = this.#atFault',
      },
      {
        name: 'takes what the host itself said for the word of others',
        find: 'this.#receivedAt > provenSince && this.#receivedFrom !== hostKey',
        replace: 'this.#receivedAt > provenSince',
      },
      {
        name: 'begins an outage with each fault',
        find: 'const begins = isHeard && now - this.#faultAt > AGAIN_MS',
        replace: 'const begins = true',
      },
      {
        name: 'does not begin an outage anew though something was received',
        find: 'const isHeard = this.#faultAt === 0 || this.#receivedAt > this.#faultAt',
        replace: 'const isHeard = this.#faultAt === 0',
      },
      {
        name: 'measures trouble with certificates by all hosts',
        find: 'trouble === this.#certificates ? Math.min(hosts, this.#suspects.size) : hosts',
        replace: 'hosts',
      },
      {
        name: 'vouches for silence without an answer',
        find: "return (kind !== 'silence' && kind !== 'route') || this.#receivedAt >= since - RECENTLY_MS",
        replace: 'return true',
      },
      {
        name: 'vouches for certificates by plain answers',
        find: "if (kind === 'certificate') return this.#secureAt >= since - RECENTLY_MS",
        replace: "if (kind === 'certificate') return this.#receivedAt >= since - RECENTLY_MS",
      },
      { name: 'never vouches for silence', find: '|| this.#receivedAt >= since - RECENTLY_MS', replace: '|| false' },
    ],
  ),
  ...caught(
    'packages/core/src/faults/trouble.ts',
    ['packages/core/test/crawl/network-guard.test.ts'],
    [
      { name: 'excuses for two hours', find: 'const HOUR_MS = 3_600_000', replace: 'const HOUR_MS = 7_200_000' },
      { name: 'excuses for half an hour', find: 'const HOUR_MS = 3_600_000', replace: 'const HOUR_MS = 1_800_000' },
      { name: 'takes ten hosts for enough', find: 'const ENOUGH_HOSTS = 20', replace: 'const ENOUGH_HOSTS = 10' },
      { name: 'waits for twenty hosts where there are fewer', find: 'Math.min(ENOUGH_HOSTS, hosts)', replace: 'ENOUGH_HOSTS' },
      {
        name: 'stays spent after something worked',
        find: '    this.#failed.clear()\n    this.isSpent = false\n',
        replace: '    this.#failed.clear()\n',
      },
      { name: 'remembers the hosts of the trouble before', find: '    this.#failed.clear()\n', replace: '' },
      { name: 'goes on excusing though it is spent', find: 'return !this.isSpent', replace: 'return true' },
    ],
  ),
  ...caught(
    'packages/core/src/faults/trouble.ts',
    ['packages/core/test/crawl/network-guard.test.ts'],
    [
      { name: 'rests for a second each time', find: 'FIRST_REST_MS * 2 ** (row.times - 1)', replace: 'FIRST_REST_MS' },
      {
        name: 'rests for half a second at first',
        find: 'FIRST_REST_MS * 2 ** (row.times - 1)',
        replace: 'FIRST_REST_MS * 2 ** (row.times - 2)',
      },
      { name: 'rests for hours', find: 'Math.min(LONGEST_REST_MS, FIRST_REST_MS', replace: 'Math.min(Infinity, FIRST_REST_MS' },
      { name: 'never counts an excuse', find: '    row.times++\n', replace: '' },
      { name: 'remembers excuses without end', find: 'this.#rows.size > MAX_HOSTS ?', replace: 'this.#rows.size < 0 ?' },
    ],
  ),
  ...caught(
    'packages/core/src/faults/recent-hosts.ts',
    ['packages/core/test/crawl/recent-hosts.test.ts'],
    [
      {
        name: 'hears words that are too old',
        find: '    return at > now - this.#spanMs',
        replace: '    return at > now - 2 * this.#spanMs',
      },
      {
        name: 'hears the first word of a host for ever',
        find: '      known.at = now\n      known.word = word\n',
        replace: '      known.at = now\n',
      },
      {
        name: 'forgets hosts that spoke a moment ago',
        find: 'if (!this.#isRecent(known.at, at)) this.#last.delete(key)',
        replace: 'this.#last.delete(key)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/faults/recent-hosts.ts',
    ['packages/core/test/crawl/network-guard.test.ts'],
    [
      {
        name: 'hears a host only when it was first heard',
        find: '      known.at = now\n      known.word = word\n',
        replace: '      known.word = word\n',
      },
      {
        name: 'counts words outside of the span',
        find: 'if (this.#isRecent(at, now)) words.push(word)',
        replace: 'words.push(word)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/pause.ts',
    ['packages/core/test/crawl/pause.test.ts'],
    [
      { name: 'rests for two seconds at first', find: 'const FIRST_MS = 1_000', replace: 'const FIRST_MS = 2_000' },
      { name: 'rests for two minutes at most', find: 'const LONGEST_MS = 60_000', replace: 'const LONGEST_MS = 120_000' },
      {
        name: 'rests for a second each time while a fault lasts',
        find: 'this.#nextMs = Math.min(LONGEST_MS, 2 * this.#nextMs)',
        replace: 'this.#nextMs = FIRST_MS',
      },
      { name: 'rests three times as long each time', find: '2 * this.#nextMs', replace: '3 * this.#nextMs' },
      {
        name: 'tells first of what the user did',
        find: 'return this.#byStore ?? this.#byOperator ?? this.#byUser ?? this.#byFault',
        replace: 'return this.#byUser ?? this.#byStore ?? this.#byOperator ?? this.#byFault',
      },
      {
        name: 'tells of the machine before the user',
        find: 'return this.#byStore ?? this.#byOperator ?? this.#byUser ?? this.#byFault',
        replace: 'return this.#byStore ?? this.#byFault ?? this.#byOperator ?? this.#byUser',
      },
      {
        name: 'says that the user holds what the store holds',
        find: "    if (this.#byStore !== undefined) return 'store'\n    if (this.#byOperator !== undefined) return 'operator'\n",
        replace: "    if (this.#byUser !== undefined) return 'user'\n    if (this.#byStore !== undefined) return 'store'\n",
      },
      {
        name: 'does not say that the machine holds it',
        find: "return this.#byFault === undefined ? undefined : 'machine'",
        replace: 'return undefined',
      },
      {
        name: 'does not go on when the user says so',
        find: '    this.#byUser = why\n    this.#tell()\n    if (why === undefined) this.#over()\n',
        replace: '    this.#byUser = why\n    this.#tell()\n',
      },
      {
        name: 'does not go on when the store can be used again',
        find: '    this.#byStore = why\n    this.#tell()\n    if (why === undefined) this.#over()\n',
        replace: '    this.#byStore = why\n    this.#tell()\n',
      },
      {
        name: 'goes on when the user stops it',
        find: '    this.#byUser = why\n    this.#tell()\n    if (why === undefined) this.#over()',
        replace: '    this.#byUser = why\n    this.#tell()\n    this.#over()',
      },
      {
        name: 'rests longer with each fault that comes while it rests',
        find: '    if (this.#byFault !== undefined) return\n',
        replace: '',
      },
      { name: 'has all try at once after a rest', find: '    this.isFeeling = true\n', replace: '' },
      {
        name: 'has a few try for ever',
        find: '    this.isFeeling = false\n    this.#nextMs = FIRST_MS',
        replace: '    this.#nextMs = FIRST_MS',
      },
      {
        name: 'rests longer although something worked',
        find: '    this.isFeeling = false\n    this.#nextMs = FIRST_MS',
        replace: '    this.isFeeling = false',
      },
      {
        name: 'does not go on after a rest',
        find: '      this.#byFault = undefined\n      this.#tell()\n      this.#over()\n',
        replace: '      this.#byFault = undefined\n      this.#tell()\n',
      },
      {
        name: 'holds the crawl after a rest',
        find: '      this.#byFault = undefined\n      this.#tell()\n      this.#over()\n',
        replace: '      this.#tell()\n      this.#over()\n',
      },
      {
        name: 'wakes once more after the fault was lifted',
        find: '    this.#timer?.[Symbol.dispose]()\n    this.#byFault = undefined\n',
        replace: '    this.#byFault = undefined\n',
      },
      {
        name: 'holds the crawl though the fault was lifted',
        find: '    this.#byFault = undefined\n    this.isFeeling = false\n',
        replace: '    this.isFeeling = false\n',
      },
      {
        name: 'has a few try though the fault was lifted',
        find: '    this.#byFault = undefined\n    this.isFeeling = false\n',
        replace: '    this.#byFault = undefined\n',
      },
      {
        name: 'leaves its timer behind',
        find: '  close(): void {\n    this.#timer?.[Symbol.dispose]()\n',
        replace: '  close(): void {\n',
      },
    ],
  ),
]
