import type { HttpReply, SecurityHeaders } from '@latchkey/http'
import { type Html, html } from './html.ts'

export interface PageOptions {
  readonly status?: number
  readonly title: string
  readonly body: Html
  readonly headers?: HttpReply['headers']
}

/** Returns a page: it works without scripts, in light and dark, by keyboard and at any text size. */
export function createPage(
  security: SecurityHeaders,
  { status = 200, title, body, headers = [] }: PageOptions,
): HttpReply {
  const nonce = security.newNonce()
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f6f7f9, #14171c); color: light-dark(#1b1f24, #e8eaed); }
main { box-sizing: border-box; max-width: 26rem; margin: 12vh auto 4rem; padding: 2rem; border-radius: .75rem; background: light-dark(#fff, #1e2229); box-shadow: 0 1px 3px rgb(0 0 0 / .2); }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; margin-bottom: 1rem; padding: .6rem .75rem; border: 1px solid light-dark(#6b7280, #9aa3af); border-radius: .5rem; background: transparent; color: inherit; font: inherit; }
button { padding: .6rem 1.25rem; border: 0; border-radius: .5rem; background: light-dark(#1d4ed8, #93b4ff); color: light-dark(#fff, #10131a); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93b4ff); outline-offset: 2px; }
a { color: light-dark(#1d4ed8, #93b4ff); }
.problem { padding: .6rem .75rem; border-left: 4px solid light-dark(#b42318, #ff9d92); background: light-dark(#fef3f2, #2c1b1a); }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  const type = ['Content-Type', 'text/html; charset=utf-8'] as const
  return { status, headers: [type, ...headers, ...security.page(nonce)], body: document.toString() }
}
