// Prices in the company of other words and signs, as shops write them: what stands beside a price takes nothing from it.
import { describe, expect, it } from 'vitest'
import { parsePrice } from '@avocet/extract'

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

  it.each([
    ['Price after discount: $12.99', '12.99'],
    ['Preis nach Rabatt 12,99 €', '12.99 EUR'],
    ['Prix après remise : 12,99 €', '12.99 EUR'],
    ['Precio con descuento: $12.99', '12.99'],
    ['Con lo sconto 12,99 €', '12.99 EUR'],
    ['Met korting € 12,99', '12.99 EUR'],
    ['inkl. Versand 12,99 €', '12.99 EUR'],
    ['incl. delivery £12.99', '12.99 GBP'],
    ['inkl. Pfand: 0,25 €', '(not-the-price)'],
    ['Free delivery £12.99', '12.99 GBP'],
    ['Kostenlose Lieferung 12,99 €', '12.99 EUR'],
    ['Fri frakt 299 kr', '299'],
    ['$12.99 20% off', '12.99'],
    ['12,99 € (20 % Rabatt)', '12.99 EUR'],
    ['19.99 in stock', '19.99'],
    ['19,99 in den Warenkorb', '19.99'],
    ['Gratis Versand ab 50 €', '(not-the-price)'],
    ['free shipping on orders over £50', '(not-the-price)'],
    ['Delivery £3.99', '(not-the-price)'],
    ['Save 20%: $5', '(not-the-price)'],
    ['Save $5 (20% off)', '(not-the-price)'],
    ['You save after discount $5', '(not-the-price)'],
    ['Discount: $5', '(not-the-price)'],
    ['3 left', '(not-the-price)'],
    ['12 in', '(not-the-price)'],
  ])('tells a price with or without something from what is saved or charged: %j is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it.each([
    ['Preis ab 1 299 €', '1299+ EUR'],
    ['Prix à partir de 1 299 €', '1299+ EUR'],
    ['Cena od 1 299 Kč', '1299+ CZK'],
    ['Pris från 1 299 kr', '1299+'],
    ['Цена от 1 299 руб.', '1299+ RUB'],
    ['Pris: 1 299 kr', '1299'],
    ['Nur 1 299 €', '1299 EUR'],
    ['Pack 5 129 €', '(ambiguous)'],
  ])('reads %j, where the word before the number has none, as %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it.each([
    ['ALL $12.99', '12.99'],
    ['ALL £12.99', '12.99 GBP'],
    ['TRY £12.99', '12.99 GBP'],
    ['TOP £12.99', '12.99 GBP'],
    ['USD £12.99', '12.99 GBP'],
    ['EGP £129', '129 EGP'],
    ['JMD $1,299', '1299 JMD'],
    ['COP $129.900', '129900 COP'],
    ['NOW£12.99', '12.99 GBP'],
    ['WAS£20', '20 GBP'],
    ['RRP£20', '20 GBP'],
    ['₹.499', '499 INR'],
    ['Rs .499', '499'],
  ])('reads %j, whose word is no currency and whose point is no decimal, as %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})
