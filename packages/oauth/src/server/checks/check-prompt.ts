import { refuse } from '../responses/refusal.ts'
import type { Prompt } from './authorization-request.ts'
import type { Check } from './check.ts'

const prompts: readonly string[] = ['none', 'login', 'consent', 'select_account'] satisfies Prompt[]

export const checkPrompt: Check<'prompt'> = ({ parameters }) => {
  const asked = [...new Set(parameters.get('prompt')?.split(' ') ?? [])]
  const isKnown = (prompt: string): prompt is Prompt => prompts.includes(prompt)
  if (!asked.every(isKnown)) return refuse('invalid_request', `"prompt" supports only ${prompts.join(', ')}.`)
  return asked.includes('none') && asked.length > 1
    ? refuse('invalid_request', '"prompt" none cannot be combined with other values.')
    : { prompt: asked }
}
