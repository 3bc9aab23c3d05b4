// How many signed requests a verifier by other hands accepts, how many changed ones it refuses, and what a signature costs.
//
// Usage: npm run bench:signatures -- [--requests 10000] [--rounds 5] [--json]
// The plugin signs as in a crawl: from the hook, with real nonces, for 1,000 hosts. The verifier is the npm package http-message-signatures. Beside it, in
// the same process: a bare Ed25519 signature of node:crypto over a text of that length, which is the floor. The best of the rounds counts.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OutgoingRequest, Session } from '@avocet/core/plugin'
import { signature } from '@avocet/plugin-signature'
import { newKey, readKeys } from '@avocet/plugin-signature/identity'
import { createVerifier, httpbis } from 'http-message-signatures'
import { toldOptions } from './told-options.ts'

const BAR_MICROS = 80
/** Bytes of a signature base. */
const BASE_BYTES = 420

const { values } = toldOptions('bench:signatures', {
  options: {
    requests: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)
const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => round)
const folder = mkdtempSync(join(tmpdir(), 'avocet-signatures-'))
const path = join(folder, 'key.json')
writeFileSync(path, newKey(0).text, { mode: 0o600 })
const plugin = signature({ key: path, agent: 'https://bot.example' })
await plugin.open?.({ now: Date.now(), problem: () => undefined } as unknown as Session, {})
const [key] = readKeys(path)
rmSync(folder, { recursive: true })
if (key === undefined) throw new Error('expected a key, got none')

type Headers = Readonly<Record<string, string>>
const urlOf = (nth: number): string =>
  `https://shop-${String(nth % 1_000)}.example:${nth % 7 === 0 ? '8443' : '443'}/offer/${String(nth)}?b=2`

function signed(nth: number): Headers {
  const headers: Record<string, string> = {}
  const outgoing = {
    now: Date.now(),
    exchange: { request: { url: urlOf(nth) } },
    setHeader: (name: string, value: string) => void (headers[name] = value),
  }
  void plugin.beforeRequest?.(outgoing as unknown as OutgoingRequest, undefined, undefined)
  return headers
}

const verify = createVerifier(createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' }), 'ed25519')
const accepts = (url: string, headers: Headers): Promise<boolean> =>
  httpbis
    .verifyMessage(
      {
        keyLookup: ({ keyid }) => Promise.resolve(keyid === key.keyid ? { id: keyid, algs: ['ed25519'], verify } : null),
        requiredFields: ['@authority', 'signature-agent'],
        requiredParams: ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'],
      },
      { method: 'GET', url, headers },
    )
    .then(
      (holds) => holds === true,
      () => false,
    )

/** µs for each of `times` calls, in the best round. */
function cost(times: number, work: (nth: number) => void): number {
  const took = rounds.map(() => {
    const startedAt = performance.now()
    for (let nth = 0; nth < times; nth++) work(nth)
    return ((performance.now() - startedAt) * 1_000) / times
  })
  return Math.min(...took)
}

let [accepted, refused] = [0, 0]
const nonces = new Set<string | undefined>()
for (let nth = 0; nth < requests; nth++) {
  const headers = signed(nth)
  nonces.add(/nonce="([^"]*)"/.exec(headers['signature-input'] ?? '')?.[1])
  if (await accepts(urlOf(nth), headers)) accepted++
  if (!(await accepts(urlOf(nth + 1), headers))) refused++
}
const { privateKey } = generateKeyPairSync('ed25519')
const text = Buffer.alloc(BASE_BYTES, 'a')
const floor = cost(requests, () => void sign(null, text, privateKey))
const micros = cost(requests, (nth) => void signed(nth))
const figures = {
  requests,
  accepted,
  refusedElsewhere: refused,
  nonces: nonces.size,
  microsEach: Number(micros.toFixed(1)),
  floorMicros: Number(floor.toFixed(1)),
  timesFloor: Number((micros / floor).toFixed(2)),
}
if (values.json) console.log(JSON.stringify({ schema: 1, ...figures }))
else console.table(figures)
const isGood = accepted === requests && refused === requests && nonces.size === requests
if (micros > BAR_MICROS) console.error(`expected at most ${String(BAR_MICROS)} µs for each signature, got ${micros.toFixed(1)}`)
process.exitCode = isGood && micros <= BAR_MICROS ? 0 : 1
