import { escapeHtml, type HttpResponse } from '@latchkey/http'
import type { Responses } from './responses.ts'

/** What cannot go back to a client, because it is not known that the address is that of the client. */
export interface ErrorPage {
  readonly status: number
  /** A word of the specifications. */
  readonly error: string
  /** The rule that was broken: a sentence without anything that was sent. */
  readonly description: string
}

/** The page where an application has none of its own. Nothing of a request stands in it, and no link leads away. */
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

/** A page without anything but its words. */
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
