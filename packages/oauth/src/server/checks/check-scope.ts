import { readRequestedScopes } from '../context/requested-access.ts'
import type { Check } from './check.ts'

export const checkScope: Check<'scopes'> = ({ parameters, client }, context) =>
  readRequestedScopes(context, client, parameters.get('scope') ?? context.defaultScope)
