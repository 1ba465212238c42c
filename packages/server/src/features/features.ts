import type { Feature } from '../page-kit/feature.ts'
import { administration } from './administration/feature.ts'
import { apiKeys } from './api-keys/feature.ts'
import { deletion } from './deletion/feature.ts'
import { development } from './development/feature.ts'
import { devices } from './devices/feature.ts'
import { emailChange } from './email-change/feature.ts'
import { emailCode } from './email-code/feature.ts'
import { impersonation } from './impersonation/feature.ts'
import { oauth } from './oauth/feature.ts'
import { passkeys } from './passkeys/feature.ts'
import { password } from './password/feature.ts'
import { profile } from './profile/feature.ts'
import { providers } from './providers/feature.ts'
import { secondFactors } from './second-factors/feature.ts'
import { signIn } from './sign-in/feature.ts'
import { signUp } from './sign-up/feature.ts'
import { stepUp } from './step-up/feature.ts'

/** The features of a service. Its schema, pages and routes are gathered from this list. */
export const features: readonly Feature[] = [
  signUp,
  signIn,
  stepUp,
  password,
  emailCode,
  emailChange,
  secondFactors,
  passkeys,
  providers,
  profile,
  deletion,
  devices,
  apiKeys,
  administration,
  impersonation,
  oauth,
  development,
]
