import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'
import { readAnswer } from '../transactions/answers.ts'

/** Keeps an answer that a provider has posted: the browser shows no `SameSite=Lax` cookie to a post of another site. */
export async function receivePost(context: ClientContext, form: string): ReturnType<OAuthClient['receivePost']> {
  const { provider, postedAnswers, redirectUri, emit } = context
  const answer = provider.responseMode === 'form_post' ? readAnswer(new URLSearchParams(form)) : 'malformed'
  if (typeof answer === 'string') {
    emit({ type: 'callback.refused', provider: provider.name, reason: answer, detail: null })
    return { ok: false, reason: answer }
  }
  const location = new URL(redirectUri)
  location.searchParams.set('handle', await postedAnswers.keep(answer))
  return { ok: true, location: location.href }
}
