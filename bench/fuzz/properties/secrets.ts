// Secrets in bodies: whatever encodes a value, and whatever is around it, no layer of the body that is kept has it.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { withoutBodySecrets } from '../../../packages/core/src/secrets/body-secrets.ts'
import { layersOf } from '../../../packages/core/src/secrets/decoded-layers.ts'
import { property, type Property } from '../property.ts'
import { SECRET_TOKENS } from '../tokens.ts'

const SECRET = 'k3y.aB9zQx'
const NAMES = ['token', 'sid']

const around = fc
  .array(fc.oneof(fc.constantFrom(...SECRET_TOKENS), fc.string({ maxLength: 4 })), { maxLength: 8 })
  .map((all) => all.join(''))
const ENCODERS: readonly ((sign: string) => string)[] = [
  (sign) => sign,
  (sign) => `%${code(sign).padStart(2, '0')}`,
  (sign) => `&#${sign.charCodeAt(0)};`,
  (sign) => `&#x${code(sign)};`,
  (sign) => String.raw`\u${code(sign).padStart(4, '0')}`,
  (sign) => String.raw`\x${code(sign).padStart(2, '0')}`,
]
/** Each sign of the value encoded up to three times, one time over the other. */
const spelled = fc
  .array(fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 }), { minLength: SECRET.length, maxLength: SECRET.length })
  .map((all) => all.map((encoders, at) => encoders.reduce((text, encode) => encodedBy(encode, text), SECRET[at] ?? '')).join(''))
function code(sign: string): string {
  return sign.charCodeAt(0).toString(16)
}

/** The first sign alone: the others are letters and digits, which nobody needs to encode. */
function encodedBy(encode: (sign: string) => string, text: string): string {
  return encode(text.charAt(0)) + text.slice(1)
}

function hidden(text: string): Buffer {
  const body = withoutBodySecrets(Buffer.from(text), { names: NAMES, values: [SECRET] })
  return body === undefined ? Buffer.alloc(0) : Buffer.from(body)
}

const inBody = property(
  {
    name: 'secret-in-body',
    what: 'no layer of a body that is kept has a known secret, whichever escapes it was written with',
    runs: 1_500,
  },
  fc.tuple(around, spelled, around),
  ([before, secret, behind]) => {
    for (const { bytes } of layersOf(hidden(`${before} ${secret} ${behind}`))) assert.ok(!bytes.includes(SECRET))
  },
)

/** All of this file. */
export const SECRET_PROPERTIES: readonly Property[] = [inBody]
