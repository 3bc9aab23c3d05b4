// Secrets in bodies: however a writer of URLs or of JSON spells a value, and whatever is around it, no body that is kept has it.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { withoutBodySecrets } from '../../../packages/plugin-secrets/src/body-secrets.ts'
import { property, type Property } from '../property.ts'
import { SECRET_TOKENS } from '../tokens.ts'

const SECRET = 'k3y/aB9+zQ"x=\\1'
const NAMES = ['token', 'sid']

const around = fc
  .array(fc.oneof(fc.constantFrom(...SECRET_TOKENS), fc.string({ maxLength: 4 })), { maxLength: 8 })
  .map((all) => all.join(''))
const ENCODERS: readonly ((sign: string) => string)[] = [
  (sign) => sign,
  (sign) => encodeURIComponent(sign),
  (sign) => encodeURIComponent(encodeURIComponent(sign)),
  (sign) => JSON.stringify(sign).slice(1, -1),
  (sign) => (sign === '/' ? String.raw`\/` : sign),
  (sign) => (/\w/.test(sign) ? sign : String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
]
/** Each sign of the value in a spelling of its own. */
const spelled = fc
  .array(fc.constantFrom(...ENCODERS), { minLength: SECRET.length, maxLength: SECRET.length })
  .map((all) => all.map((encode, at) => encode(SECRET[at] ?? '')).join(''))

const inBody = property(
  {
    name: 'secret-in-body',
    what: 'no body that is kept has a known secret, as it is, percent-encoded or escaped as in JSON',
    runs: 1_500,
  },
  fc.tuple(around, spelled, around),
  ([before, secret, behind]) => {
    const body = withoutBodySecrets(Buffer.from(`${before} ${secret} ${behind}`), { names: NAMES, values: [SECRET] })
    assert.ok(!Buffer.from(body ?? '').includes(secret))
  },
)

/** All of this file. */
export const SECRET_PROPERTIES: readonly Property[] = [inBody]
