// Ways to break the scheduler: who is asked, who goes next, and when.
import { caught, type Mutant } from '../mutant.ts'

export const SCHEDULER: readonly Mutant[] = [
  ...caught(
    'packages/core/src/scheduler/scheduler.ts',
    ['packages/core/test/scheduler/dispatch.test.ts'],
    [
      {
        name: 'recalls nothing above a lowered limit',
        find: 'if (host.inFlight > constraint.atMost && recallAbove(host, constraint.atMost))',
        replace: 'if (host.inFlight < 0 && recallAbove(host, constraint.atMost))',
      },
      { name: 'recalls the oldest exchanges first', find: '[...host.exchanges].toReversed()', replace: '[...host.exchanges]' },
      {
        name: 'recalls one exchange too many',
        find: 'if (host.inFlight <= atMost) break',
        replace: 'if (host.inFlight < atMost) break',
      },
      { name: 'recalls what is on the wire', find: '    if (exchange.isSent) continue\n', replace: '' },
      {
        name: 'gives a host up whose exchange is still in flight',
        find: 'if (host.inFlight === 0 && (isHeld ||',
        replace: 'if ((isHeld ||',
      },
      {
        name: 'gives a host up that may go on later',
        find: '(isHeld || (isFull && readyAt <= now))) return this.#giveUp',
        replace: '(isHeld || isFull)) return this.#giveUp',
      },
      {
        name: 'gives nobody up that is held for ever',
        find: '(isHeld || (isFull && readyAt <= now))) return this.#giveUp',
        replace: '(isFull && readyAt <= now)) return this.#giveUp',
      },
      {
        name: 'leaves a full host among the ready',
        find: 'if (readyAt === Infinity || (isFull && readyAt <= now)) this.remove(host)',
        replace: 'if (readyAt === Infinity) this.remove(host)',
      },
      {
        name: 'takes proven hosts for those on probation',
        find: "host.onProbation ? 'probation' : 'proven', host.virtualTime",
        replace: "host.onProbation ? 'proven' : 'probation', host.virtualTime",
      },
      {
        name: 'serves a host above its limit in flight',
        find: 'constraint.readyAt <= now && host.inFlight < constraint.atMost',
        replace: 'constraint.readyAt <= now',
      },
      {
        name: 'serves a host before its moment',
        find: 'constraint.readyAt <= now && host.inFlight < constraint.atMost',
        replace: 'host.inFlight < constraint.atMost',
      },
      {
        name: 'never asks plugins a second time',
        find: 'const constraint = host === this.#asked ? host.constraint : (',
        replace: 'const constraint = host.live ? host.constraint : (',
      },
      {
        name: 'lets virtual time stand still',
        find: '    this.virtualTime = Math.max(this.virtualTime, host.virtualTime)\n',
        replace: '',
      },
      {
        name: 'lets virtual time go back',
        find: 'this.virtualTime = Math.max(this.virtualTime, host.virtualTime)',
        replace: 'this.virtualTime = host.virtualTime',
      },
      {
        name: 'serves the newest guest first',
        find: 'undefined : host.guests.shift()',
        replace: 'undefined : host.guests.pop()',
      },
      {
        name: 'asks for a required document twice at once',
        find: "return host.requiring ? undefined : { kind: 'required'",
        replace: "return { kind: 'required'",
      },
      {
        name: 'gives probation its idle share while proven hosts are ready',
        find: '!this.slots.probationOpen(proven !== undefined)',
        replace: '!this.slots.probationOpen(false)',
      },
      {
        name: 'never closes probation',
        find: 'if (probation === undefined || !this.slots.probationOpen(proven !== undefined)) return proven',
        replace: 'if (probation === undefined) return proven',
      },
      {
        name: 'serves proven hosts before those on probation, always',
        find: 'return proven === undefined || probation.virtualTime < proven.virtualTime ? probation : proven',
        replace: 'return proven === undefined ? probation : proven',
      },
      {
        name: 'serves a host that is given up',
        find: 'return host.live && host.retiring === undefined && (',
        replace: 'return host.live && (',
      },
      {
        name: 'serves a host that is no longer held',
        find: 'return host.live && host.retiring === undefined && (',
        replace: 'return host.retiring === undefined && (',
      },
      {
        name: 'serves a host that is leaving',
        find: 'host.retiring === undefined && ((!host.leaving && !host.forgetting) || host.guests.length > 0)',
        replace: 'host.retiring === undefined',
      },
      {
        name: 'forgets the guests of a host that is leaving',
        find: '((!host.leaving && !host.forgetting) || host.guests.length > 0)',
        replace: '!host.leaving && !host.forgetting',
      },
      {
        name: 'asks for a required document of a host without pages',
        find: 'return host.requiring || (host.waiting === 0 && !logsIn) ? Infinity : 0',
        replace: 'return host.requiring ? Infinity : 0',
      },
      {
        name: 'forgets what becomes due in the store',
        find: 'host.storeDelayedAt > now ? host.storeDelayedAt : Infinity)',
        replace: 'Infinity)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/scheduler.ts',
    ['packages/core/test/scheduler/scheduler.test.ts'],
    [
      {
        name: 'serves those on probation before proven hosts, always',
        find: 'return proven === undefined || probation.virtualTime < proven.virtualTime ? probation : proven',
        replace: 'return probation',
      },
      {
        name: 'places a host by an answer that does not hold any more',
        find: 'if (readyAt > now || host.inFlight < atMost) this.#stand(host, host.constraint, now)',
        replace: 'if (readyAt >= 0) this.#stand(host, host.constraint, now)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/scheduler.ts',
    ['test/crawl/required-documents.test.ts'],
    [
      {
        name: 'lets guests wait for the own requests of a host',
        find: '  if (host.guests.length > 0 && (required === undefined || !logsIn)) return 0\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hooks/admission.ts',
    ['packages/core/test/scheduler/admission.test.ts'],
    [
      {
        name: 'joins moments by the earliest',
        find: '    if (at < this.#readyAt) return\n',
        replace: "    if (at > this.#readyAt && this.#readyBy !== '') return\n",
      },
      {
        name: 'joins limits by the largest',
        find: '    if (n > this.#atMost) return\n',
        replace: "    if (n < this.#atMost && this.#mostBy !== '') return\n",
      },
      {
        name: 'names the last plugin among equals in time',
        find: "this.#readyBy !== '' && this.#readyBy <= this.speaker",
        replace: "this.#readyBy !== '' && this.#readyBy >= this.speaker",
      },
      {
        name: 'names the last plugin among equals in number',
        find: "this.#mostBy !== '' && this.#mostBy <= this.speaker",
        replace: "this.#mostBy !== '' && this.#mostBy >= this.speaker",
      },
      {
        name: 'remembers the moment of the host before',
        find: '    this.#readyAt = 0\n    this.#atMost = Infinity\n',
        replace: '    this.#atMost = Infinity\n',
      },
      {
        name: 'remembers the limit of the host before',
        find: '    this.#readyAt = 0\n    this.#atMost = Infinity\n',
        replace: '    this.#readyAt = 0\n',
      },
      { name: 'remembers the document of the host before', find: '    this.#required = undefined\n    if', replace: '    if' },
      {
        name: 'has several exchanges with a host that never answered',
        find: 'else if (!host.proven) this.atMost(1,',
        replace: 'else if (!host.proven) this.atMost(9,',
      },
      {
        name: 'has several exchanges with a host that fails',
        find: 'this.atMost(1, `failed ${',
        replace: 'this.atMost(9, `failed ${',
      },
      {
        name: 'trusts a host that failed twice',
        find: 'else if (host.consecutiveFailures >= 2)',
        replace: 'else if (host.consecutiveFailures > 2)',
      },
      {
        name: 'has several exchanges with a host that is given up',
        find: "this.atMost(1, 'given up:",
        replace: "this.atMost(9, 'given up:",
      },
      {
        name: 'does not let a host rest',
        find: '    if (host.rest.until > now) this.notBefore(host.rest.until, host.rest.why)\n',
        replace: '',
      },
      { name: 'requires the last of two documents', find: 'url < this.#required.url', replace: 'url > this.#required.url' },
      {
        name: 'goes on at once after a plugin threw',
        find: 'const AFTER_THROW_MS = 60_000',
        replace: 'const AFTER_THROW_MS = 0',
      },
      {
        name: 'does not say what holds a full host',
        find: 'return inFlight >= this.#atMost ?',
        replace: 'return inFlight > this.#atMost ?',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['packages/core/test/scheduler/live-host.test.ts'],
    [
      {
        name: 'trusts a host after two failures',
        find: 'return !this.core.proven || this.core.consecutiveFailures >= 2',
        replace: 'return !this.core.proven || this.core.consecutiveFailures > 2',
      },
      {
        name: 'gives a host back while its document is under way',
        find: '      !this.requiring &&\n',
        replace: '',
      },
      {
        name: 'remembers the latest of delayed requests',
        find: 'this.storeDelayedAt = Math.min(this.storeDelayedAt, at)',
        replace: 'this.storeDelayedAt = at',
      },
      {
        name: 'forgets a request that went back',
        find: '    this.storeWaiting++\n    this.storeDelayedAt =',
        replace: '    this.storeDelayedAt =',
      },
      {
        name: 'takes a host with requests in the store for spent',
        find: 'return this.queue.size + this.storeWaiting',
        replace: 'return this.queue.size',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['packages/core/test/scheduler/dispatch.test.ts'],
    [
      {
        name: 'trusts a host that never answered',
        find: 'return !this.core.proven || this.core.consecutiveFailures >= 2',
        replace: 'return this.core.consecutiveFailures >= 2',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['packages/core/test/scheduler/leavers.test.ts'],
    [
      {
        name: 'gives a host back with turns that are not committed',
        find: '      this.unsettled === 0 &&\n',
        replace: '',
      },
      {
        name: 'takes every host for one that was served',
        find: 'return this.virtualTime > this.#joinedAt',
        replace: 'return this.virtualTime >= this.#joinedAt',
      },
      {
        name: 'takes a host for one that rests until its last request',
        find: 'return Math.max(this.constraint.readyAt, Math.min(this.queue.readyAt(), this.storeDelayedAt))',
        replace: 'return Math.max(this.constraint.readyAt, this.queue.readyAt(), this.storeDelayedAt)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['test/crawl/window.test.ts'],
    [
      {
        name: 'gives a host back while it is refilled',
        find: '      !this.refilling &&\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['test/crawl/required-elsewhere.test.ts'],
    [
      {
        name: 'gives a host back that has guests',
        find: '&&\n      this.guests.length === 0\n',
        replace: '\n',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/scheduler.ts',
    ['packages/core/test/scheduler/scheduler.test.ts'],
    [
      {
        name: 'begins more at a host whose document waits to be read',
        find: '  if (host.unread > 0) return Infinity\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/engine.ts',
    ['test/crawl/required-documents.test.ts'],
    [{ name: 'is done while a document waits to be read', find: 'asked + this.#required.unread + (', replace: 'asked + (' }],
  ),
  ...caught(
    'packages/core/src/crawl/engine.ts',
    ['packages/core/test/crawl/engine.test.ts'],
    [
      {
        name: 'begins exchanges without a free slot',
        find: 'while (this.slots.free > 0 && this.#mayBegin) {',
        replace: 'while (this.#mayBegin) {',
      },
      {
        name: 'begins exchanges while the crawl is closed',
        find: 'while (this.slots.free > 0 && this.#mayBegin) {',
        replace: 'while (this.slots.free > 0) {',
      },
      {
        name: 'never looks into the frontier while all slots are busy',
        find: '    if (this.slots.free === 0) this.window.look(this.#now)\n',
        replace: '',
      },
      { name: 'never asks the frontier for more', find: 'return this.window.grow(this.#now)', replace: 'return' },
      { name: 'runs into itself', find: '    if (this.#isGoing) return\n', replace: '' },
      {
        name: 'wakes in vain while nothing may begin',
        find: 'this.#alarm.set(this.slots.free > 0 && this.#mayBegin ? ',
        replace: 'this.#alarm.set(true ? ',
      },
      {
        name: 'does not wait for pages that are being handled',
        find: "const handling = this.#waitsFor === 'all' ? this.pages.running : 0",
        replace: 'const handling = 0',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/engine.ts',
    ['test/crawl/politeness.test.ts', 'test/crawl/window.test.ts', 'packages/core/test/crawl/engine.test.ts'],
    [
      {
        name: 'wakes at the last of several moments',
        find: 'mayBegin ? Math.min(this.#scheduler.nextReadyAt, this.window.moreAt) : Infinity',
        replace: 'mayBegin ? Math.max(this.#scheduler.nextReadyAt, this.window.moreAt) : Infinity',
      },
      {
        name: 'does not wake for hosts that become due in the frontier',
        find: 'mayBegin ? Math.min(this.#scheduler.nextReadyAt, this.window.moreAt) : Infinity',
        replace: 'mayBegin ? this.#scheduler.nextReadyAt : Infinity',
      },
      {
        name: 'does not wake for hosts that wait',
        find: 'mayBegin ? Math.min(this.#scheduler.nextReadyAt, this.window.moreAt) : Infinity',
        replace: 'mayBegin ? this.window.moreAt : Infinity',
      },
    ],
  ),
  ...caught(
    'packages/core/src/scheduler/alarm.ts',
    ['packages/core/test/crawl/engine.test.ts'],
    [
      { name: 'sets a second timer beside the first', find: '    this[Symbol.dispose]()\n    if (at', replace: '    if (at' },
      {
        name: 'never rings twice at the same moment',
        find: '      this.#at = Infinity\n      this.#ring()',
        replace: '      this.#ring()',
      },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/judge.ts',
    ['packages/core/test/exchange/judge.test.ts'],
    [
      {
        name: 'takes a required document for a page',
        find: "  if (required) return { kind: 'document', result: response }\n",
        replace: '',
      },
      {
        name: 'forgets that a plugin threw',
        find: '  if (threw !== undefined) return failed(exchange, threw, { now, response })\n',
        replace: '',
      },
      {
        name: 'asks again for a page that costs money',
        find: "  if (response.status === PAYMENT_REQUIRED && closing.verdict.kind === 'retry') return { kind: 'failed', outcome }\n",
        replace: '',
      },
      { name: 'counts what a plugin put off', find: '{ ...verdict, counted: false }', replace: '{ ...verdict }' },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/live-host.ts',
    ['packages/core/test/scheduler/live-host.test.ts'],
    [{ name: 'gives a host back while its document waits to be read', find: '      this.unread === 0 &&\n', replace: '' }],
  ),
]
