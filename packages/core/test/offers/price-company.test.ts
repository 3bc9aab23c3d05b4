// Prices in the company of other words and signs, as shops write them: what stands beside a price takes nothing from it.
import { describe, expect, it } from 'vitest'
import { parsePrice } from '../../src/offers/price.ts'

function read(text: string): string {
  const reading = parsePrice(text)
  if (reading.price === undefined) return `(${reading.reason})`
  const { text: amount, currency, isFrom, per } = reading.price
  return [
    amount,
    isFrom ? '+' : '',
    ...(currency === undefined ? [] : [' ', currency]),
    ...(per === undefined ? [] : [' /', per]),
  ].join('')
}

describe('parsePrice', () => {
  it.each([
    ['$12.99 c/u', '12.99 /u'],
    ['12,90 c/u', '12.90 /u'],
    ['£12.99 p/kg', '12.99 GBP /kg'],
    ['12,99 p/st', '12.99 /st'],
    ['£9.99p', '9.99 GBP'],
    ['£12.99 P&P included', '12.99 GBP'],
    ['$12.99 C&C', '12.99'],
    ['£12.99 dozen', '12.99 GBP'],
    ['99 cents', '(multiplied)'],
    ['99p each', '(multiplied)'],
    ['USD 99¢', '(multiplied)'],
  ])('reads %j, whose letters are no hundredths, as %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})
