// Forms: what a browser would send of them. HTML standard §4.10.21.
import type { Page } from '@avocet/core'
import { recordedPage } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const URL_OF = 'https://shop.test/sign/in?from=home'
const page = (body: string, rest: { readonly charset?: string; readonly bytes?: Uint8Array } = {}): Page =>
  recordedPage({
    url: URL_OF,
    body: rest.bytes ?? body,
    headers: { 'content-type': `text/html; charset=${rest.charset ?? 'utf-8'}` },
  })
/** The body of a POST of `fields`. */
const sent = (fields: string): string => page(`<form method=post>${fields}</form>`).form().submit().options.body ?? ''

describe('a form', () => {
  it('is submitted with its method, its action, its hidden fields and what was filled in', () => {
    const markup =
      '<base href="/a/"><form id=login method=post action=check?x=1><input type=hidden name=token value=t1><input name=user><input type=password name=password><button>Go</button></form>'
    const { url, options } = page(markup)
      .form('#login')
      .fill({ user: 'ann b', password: 'ü&=' })
      .submit({ handler: 'in', data: 7 })

    expect(url).toBe('https://shop.test/a/check?x=1')
    expect(options).toEqual({
      handler: 'in',
      data: 7,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=t1&user=ann+b&password=%C3%BC%26%3D',
    })
  })

  it.each([
    ['without an action', '<form method=post>', URL_OF, 'POST'],
    ['with an empty one', '<base href=/b/><form method=POST action="">', URL_OF, 'POST'],
    ['of a method that is none', '<form method=put action=/s?old=1>', 'https://shop.test/s?q=1', undefined],
    ['of no method', '<form action=/s#end>', 'https://shop.test/s?q=1', undefined],
  ])('%s goes where a browser takes it', (_what, tag, to, method) => {
    const { url, options } = page(`${tag}<input name=q value=1></form>`).form().submit()

    expect([url.replace(/#.*/, ''), options.method]).toEqual([to, method])
  })
})

describe('fields', () => {
  it.each([
    ['text, kept as it is', '<input name=a value=" x "><input name=b type=url value=" x ">', 'a=+x+&b=x'],
    ['without a name, or with an empty one', '<input value=1><input name="" value=2>', ''],
    ['disabled', '<input name=a disabled><input name=b value=1>', 'b=1'],
    [
      'of a fieldset that is disabled',
      '<fieldset disabled><legend><input name=a></legend><legend><input name=b></legend><input name=c></fieldset>',
      'a=',
    ],
    ['of a fieldset within it', '<fieldset disabled><fieldset><input name=a></fieldset></fieldset>', ''],
    [
      'boxes',
      '<input type=checkbox name=a checked><input type=checkbox name=a value=2 checked><input type=checkbox name=b>',
      'a=on&a=2',
    ],
    ['radio buttons', '<input type=radio name=a value=1><input type=radio name=a value=2 checked>', 'a=2'],
    [
      'radio buttons that are all checked',
      '<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>',
      'a=2',
    ],
    ['a choice without a value', '<select name=a><option>\n  green  tea\n</option></select>', 'a=green+tea'],
    ['a choice with an empty value', '<select name=a><option value>1</select>', 'a='],
    ['a list without a choice', '<select name=a><option disabled>0<option>1<option>2</select>', 'a=1'],
    ['a list with two', '<select name=a><option selected>1<option selected value=x>2</select>', 'a=x'],
    ['a list of several', '<select name=a multiple><option selected>1<option>2<option selected>3</select>', 'a=1&a=3'],
    ['a list of several, and none chosen', '<select name=a multiple><option>1</select>', ''],
    ['a list of three lines', '<select name=a size=3><option>1</select>', ''],
    ['a choice that is disabled', '<select name=a><optgroup disabled><option selected>1</optgroup></select>', ''],
    ['text of several lines', '<textarea name=a>\n1\n2\r\n3</textarea>', 'a=1%0D%0A2%0D%0A3'],
    ['line breaks in one line', '<input name=a value="1&#10;2">', 'a=12'],
    ['line breaks of a type that is none', '<input type=foo name=a value="1&#10;2">', 'a=12'],
    ['line breaks of a hidden field', '<input type=hidden name=a value="1&#10;2">', 'a=1%0D%0A2'],
    ['suggestions', '<datalist><input name=a></datalist><input name=b>', 'b='],
    ['its charset', '<input type=hidden name=_charset_ value=x>', '_charset_=UTF-8'],
    ['a direction', '<input name=a value=1 dirname=a.dir>', 'a=1&a.dir=ltr'],
    ['a file', '<input type=file name=a>', 'a='],
    [
      'buttons that do nothing',
      '<input type=reset name=a><input type=button name=b><button type=button name=c></button><input name=d>',
      'd=',
    ],
    ['the default button', '<input name=a><button name=b value=1>x</button><input type=submit name=c value=2>', 'a=&b=1'],
    ['no default button that is disabled', '<button name=b value=1 disabled>x</button><button name=c value=2>y</button>', ''],
    ['an image', '<input type=image name=a>', 'a.x=0&a.y=0'],
    ['of another form', '<input name=a form=other><input name=b>', 'b='],
    ['names and values of any kind', '<input name="a&b" value="*-._~ é">', 'a%26b=*-._%7E+%C3%A9'],
  ])('%s', (_what, fields, body) => {
    expect(sent(fields)).toBe(body)
  })

  it.each([
    [
      'a table',
      '<table><form id=f method=post><tr><td><input name=a value=1><tr><td><input name=b value=2></form></table>',
      'a=1&b=2',
    ],
    ['a row', '<table><tr><form id=f method=post><td><input name=a value=1></form></tr><tr><td><input name=b></table>', 'a=1'],
    [
      'two rows, two forms',
      '<table><tr><form method=post><td><input name=b></form></tr><tr><form id=f method=post><td><input name=a></form></tr></table>',
      'a=',
    ],
  ])('may be beside their form, where its tag is in %s', (_what, markup, body) => {
    const form = page(markup).form('#f')

    expect([form.submit().options.body, page(markup).form('[name=a]').submit().options.body]).toEqual([body, body])
  })

  it('may be anywhere on the page', () => {
    const form = page(
      '<input name=a value=1 form=f><form id=f method=post><input name=b value=2></form><input name=c value=3 form=f>',
    ).form('#f')

    expect([form.names, form.submit().options.body]).toEqual([['a', 'b', 'c'], 'a=1&b=2&c=3'])
  })
})

describe('buttons', () => {
  const form = page(
    '<form method=post action=/save><input name=a value=1><button name=go value=yes formaction=/other formmethod=get>Other way</button><button name=up formenctype=multipart/form-data>Up</button></form>',
  ).form()

  it.each(['go', 'yes', 'Other way'])('are pressed by name, value or text: %s', (button) => {
    expect(form.submit({ button }).url).toBe('https://shop.test/other?a=1&go=yes')
  })

  it('may change how the form is encoded', () => {
    const { options } = form.submit({ button: 'up' })

    expect(options.headers).toEqual({ 'content-type': 'multipart/form-data; boundary=----avocet-form-0' })
    expect(options.body).toBe(
      '------avocet-form-0\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n------avocet-form-0\r\nContent-Disposition: form-data; name="up"\r\n\r\n\r\n------avocet-form-0--\r\n',
    )
  })

  it('that are not there are said', () => {
    expect(() => form.submit({ button: 'Save' })).toThrow('has no button "Save"; it has "go", "up"')
  })
})

describe('parts', () => {
  const multipart = (fields: string): string =>
    page(`<form method=post enctype=multipart/form-data>${fields}</form>`).form().submit().options.body ?? ''

  it('quote names, send no file, and never hold their boundary', () => {
    const body = multipart('<input name=\'a"b\' value="----avocet-form-0"><input type=file name=f>')

    expect(body).toContain('name="a%22b"')
    expect(body).toContain('name="f"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n')
    expect(body.endsWith('------avocet-form-1--\r\n')).toBe(true)
  })

  it('may be lines', () => {
    expect(page('<form method=post enctype=text/plain><input name=a value=1></form>').form().submit().options.body).toBe(
      'a=1\r\n',
    )
  })
})

describe('a charset', () => {
  it('is that of the page, and what it lacks is a reference', () => {
    const bytes = Buffer.from('<form method=post><input name=a value="\xfc"></form>', 'latin1')
    const form = page('', { bytes, charset: 'iso-8859-1' }).form()

    expect(form.submit().options.body).toBe('a=%FC')
    expect(form.fill({ a: 'ř ü' }).submit().options.body).toBe('a=%26%23345%3B+%FC')
  })

  it.each([
    ['x iso-8859-2', 'a=%F8'],
    ['utf-16', 'a=%C5%99'],
    ['what', 'a=%C5%99'],
  ])('is what the form accepts: %s', (accepted, body) => {
    const form = page(`<form method=post accept-charset="${accepted}"><input name=a></form>`).form()

    expect(form.fill({ a: 'ř' }).submit().options.body).toBe(body)
  })
})

describe('filling in', () => {
  const markup =
    '<form method=post><input name=user disabled><input type=checkbox name=keep><input type=checkbox name=tag value=a><input type=checkbox name=tag value=b>' +
    '<input type=radio name=size value=s checked><input type=radio name=size value=l><select name=land><option>de<option>fr</select><input name=n><input name=n><input type=file name=file></form>'
  const form = page(markup).form()

  it.each([
    [{ user: 'ann' }, 'user=ann&size=s&land=de&n=&n=&file='],
    [{ keep: true, tag: ['b'] }, 'keep=on&tag=b&size=s&land=de&n=&n=&file='],
    [{ tag: true, size: 'l', land: 'fr' }, 'tag=a&tag=b&size=l&land=fr&n=&n=&file='],
    [{ tag: false, n: [1, 'x'] }, 'size=s&land=de&n=1&n=x&file='],
  ])('%j', (values, body) => {
    expect(form.fill(values).submit().options.body).toBe(body)
  })

  it('leaves the form as it was', () => {
    form.fill({ user: 'bob' })

    expect(form.submit().options.body).not.toContain('bob')
  })

  it.each([
    [{ usr: 'x' }, 'has no field "usr" (did you mean \'user\'?)'],
    [{ zzzzzz: 'x' }, 'has no field "zzzzzz"; it has user, keep, tag, size, land, n, file'],
    [{ land: 'uk' }, 'cannot be what it is filled in with; it can be "de", "fr"'],
    [{ user: true }, 'only boxes are true or false'],
    [{ n: [1, 2, 3] }, 'expected at most 2 values'],
    [{ file: 'x' }, 'takes a file'],
  ])('%j is refused', (values, message) => {
    expect(() => form.fill(values)).toThrow(expect.objectContaining({ code: 'AVO_HANDLER_FORM' }) as Error)
    expect(() => form.fill(values)).toThrow(message)
  })

  it.each([
    ['<p>no form</p>', 'found none; the page has no form'],
    ['<form id=search></form>', 'found none; the page has form#search'],
  ])('a form that is not there is said: %s', (body, message) => {
    expect(() => page(body).form('#login')).toThrow(`expected a form at "#login" of ${URL_OF}, ${message}`)
  })

  it.each(['javascript:void 0', 'mailto:a@b.test'])('a form that leads to %s is refused when it is submitted', (action) => {
    expect(() => page(`<form action="${action}"></form>`).form().submit()).toThrow('to lead to an http(s) URL')
  })

  it('finds the form around a button', () => {
    expect(page('<form id=a></form><form id=b><button class=go>').form('.go').submit().url).toBe('https://shop.test/sign/in')
  })
})
