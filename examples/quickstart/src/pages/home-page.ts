import type { HttpResponse, SecurityHeaders } from '@latchkey/http'
import { type DemoOperation, otherOperations } from './demo-operations.ts'

const style = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f6f7f9, #14171c); color: light-dark(#1b1f24, #e8eaed); }
main { box-sizing: border-box; max-width: 44rem; margin: 0 auto; padding: 10vh clamp(1rem, 5vw, 1.5rem) 4rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; }
a { color: light-dark(#1d4ed8, #93b4ff); }
:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93b4ff); outline-offset: 2px; border-radius: .2rem; }
ol, ul { padding-left: 1.2rem; }
pre { overflow-wrap: anywhere; white-space: pre-wrap; padding: 1rem; border-radius: .6rem; background: light-dark(#fff, #1e2229); border: 1px solid light-dark(#d8dce2, #353b45); font-size: .9rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem clamp(.75rem, 3vw, 1.5rem) .25rem 0; text-align: left; }
`

export interface HomePageOptions {
  readonly security: SecurityHeaders
  readonly publicUrl: string
  /** The operations that show the rules; `null` in production, which has no GraphiQL. */
  readonly ruleOperations: readonly DemoOperation[] | null
}

/** Returns the page at `/`, which introduces the service and links to its pages and operations. */
export function createHomePage({ security, publicUrl, ruleOperations }: HomePageOptions): HttpResponse {
  const nonce = security.newNonce()
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The publication</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>The publication</h1>
<p>A GraphQL service with accounts, roles and ownership. It answers at <code>${publicUrl}/graphql</code>.</p>
<p><a href="/sign-in?return_to=%2Faccount">Sign in</a> or <a href="/sign-up">sign up</a>, see <a href="/account">your account</a> with its second factors and passkeys, and <a href="/devices">your devices</a>.</p>
${ruleOperations ? tryIt(publicUrl, ruleOperations) : ''}
</main>
</body>
</html>
`
  const headers = [['content-type', 'text/html; charset=utf-8'], ...security.page(nonce)] as const
  return { status: 200, headers, body }
}

function tryIt(publicUrl: string, ruleOperations: readonly DemoOperation[]): string {
  return `<h2>See the rules at work</h2>
<p>Each opens in <a href="/graphiql">GraphiQL</a>, ready to run. Run them in this order:</p>
<ol>
${ruleOperations.map(linkTo).join('\n')}
</ol>
<h2>More operations</h2>
<ul>
${otherOperations.map(linkTo).join('\n')}
</ul>
<h2>From the terminal</h2>
<pre><code>curl ${publicUrl}/graphql \\
  --header 'content-type: application/json' \\
  --data '{ "query": "{ articles(first: 3) { title } }" }'</code></pre>
<h2>Accounts to try</h2>
<p>The password of each is <code>otters read quietly at dawn</code>.</p>
<table>
<thead><tr><th scope="col">Email</th><th scope="col">Role</th></tr></thead>
<tbody>
<tr><td>reader@example.com</td><td>READER</td></tr>
<tr><td>author@example.com</td><td>AUTHOR</td></tr>
<tr><td>other@example.com</td><td>AUTHOR</td></tr>
<tr><td>editor@example.com</td><td>EDITOR</td></tr>
<tr><td>admin@example.com</td><td>ADMIN</td></tr>
</tbody>
</table>`
}

function linkTo({ title, query, variables }: DemoOperation): string {
  const values =
    variables === undefined ? '' : `&amp;variables=${encodeURIComponent(JSON.stringify(variables, null, 2))}`
  return `<li><a href="/graphiql?query=${encodeURIComponent(query)}${values}">${title}</a></li>`
}
