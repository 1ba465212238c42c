import { escapeHtml, type HttpResponse } from '@latchkey/http'
import type { Responses } from './responses.ts'

/** An error that cannot go back to a client, because the address may not belong to the client. */
export interface ErrorPage {
  readonly status: number
  /** An error code of the specifications. */
  readonly error: string
  /** The broken rule, as a sentence that quotes no part of the request. */
  readonly description: string
}

/** The default error page. It shows no part of the request and has no link. */
export function plainErrorPage({ page }: Responses, { status, error, description }: ErrorPage): HttpResponse {
  return page(status, (nonce) =>
    plainPage(
      nonce,
      'We couldn’t process this request',
      `<p>Go back to the app and try again. If that doesn’t help, send this error to its developers:</p>
<p><code>${escapeHtml(error)}</code>: ${escapeHtml(description)}</p>`,
    ),
  )
}

/** Returns a page with text only. */
export function plainPage(nonce: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 36rem; margin: 10vh auto; padding: 0 1rem; overflow-wrap: anywhere }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`
}
