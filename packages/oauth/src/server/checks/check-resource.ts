import { readRequestedResources } from '../context/requested-access.ts'
import type { Check } from './check.ts'

export const checkResource: Check<'resources'> = ({ parameters }, context) =>
  readRequestedResources(context, parameters.all('resource'))
