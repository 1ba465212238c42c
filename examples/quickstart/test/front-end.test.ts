import { expect, inject, test } from 'vitest'

const url = inject('quickstartUrl')
const read = async (path: string) => (await fetch(`${url}${path}`)).text()

test.each(['/', '/app/articles/art_1', '/app/verify?token=t'])(
  'the page of the front end is served at %s, and only scripts with its nonce run',
  async (path) => {
    const response = await fetch(`${url}${path}`)
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '') ?? []
    const page = await response.text()
    expect(response.status).toBe(200)
    expect(page.match(/<(?:script|link rel="stylesheet")[^>]*>/g)).toHaveLength(2)
    expect(page.match(/nonce="[^"]*"/g)).toEqual(Array(3).fill(`nonce="${nonce}"`))
    expect(await read(path)).not.toContain(nonce)
  },
)

test('the files that the page names are served for as long as their names, and no others', async () => {
  const names = (await read('/')).match(/\/app\/assets\/[\w.-]+/g) ?? []
  for (const name of names) {
    const { status, headers } = await fetch(`${url}${name}`)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^text\/(?:javascript|css); charset=utf-8$/),
      'public, max-age=31536000, immutable',
    ])
  }
  expect(names).toHaveLength(2)
  for (const path of ['/app/assets/none.js', '/app/assets/', '/app']) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404])
  }
})

test('a POST to the page is not answered by it', async () => {
  expect((await fetch(`${url}/app/sign-in`, { method: 'POST' })).status).toBe(404)
})
