// What a login fills in is in no message, also where the form does not take it.
import { expect, it } from 'vitest'
import { formPage, memberSite, membersOf } from './member-site.ts'

it.each([
  ['select', '<select name=pin><option>0000</option><option>1111</option></select>'],
  ['radio', '<input type=radio name=pin value=0000><input type=radio name=pin value=1111>'],
  ['checkbox', '<input type=checkbox name=pin value=0000>'],
])('a value that is no choice of a %s is not quoted', async (_kind, field) => {
  const form = formPage(`<p class=out></p><form id=login method=post action="/do-login">${field}</form>`)
  const site = memberSite({ answer: (href) => (href.endsWith('/login') ? form : undefined) })
  const { report } = await membersOf(site, {
    login: { submit: (page) => page.form('#login').fill({ pin: '739184secret' }).submit() },
  })

  expect(JSON.stringify(report)).toContain('cannot be what it is filled in with; it can be')
  expect(JSON.stringify(report)).not.toContain('739184secret')
})
