import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'
import { readAnswer } from '../transactions/answers.ts'

/** Stores a posted answer, because browsers send no `SameSite=Lax` cookie with a cross-site POST. */
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
