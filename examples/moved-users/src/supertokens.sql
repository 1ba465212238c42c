-- Writes one line of JSON for each user of an app in the PostgreSQL database of SuperTokens, core 7 or later:
--   psql "$OLD_DATABASE" -X -A -t -v app=public -f src/supertokens.sql > users.jsonl
-- Users that are linked in SuperTokens are one line with several sign-in methods.
with users as (
  select u.app_id, u.user_id,
    coalesce(p.external_user_id, trim(u.primary_or_recipe_user_id)) as id,
    -- Tables of other recipes have the external id of a user, if there is one.
    coalesce(r.external_user_id, trim(u.user_id)) as known_id
  from app_id_to_user_id u
  left join userid_mapping r on r.app_id = u.app_id and r.supertokens_user_id = u.user_id
  left join userid_mapping p on p.app_id = u.app_id and p.supertokens_user_id = u.primary_or_recipe_user_id
  where u.app_id = :'app'
),
methods as (
  select app_id, user_id, 'emailpassword' as recipe, email, password_hash, null as provider, null as subject, time_joined
  from emailpassword_users
  union all
  select app_id, user_id, 'thirdparty', email, null, third_party_id, third_party_user_id, time_joined
  from thirdparty_users
  union all
  select app_id, user_id, 'passwordless', email, null, null, null, time_joined
  from passwordless_users
)
select json_build_object(
  'id', account.id,
  'methods', (
    select coalesce(json_agg(json_build_object(
      'recipe', m.recipe, 'email', m.email, 'passwordHash', m.password_hash, 'provider', m.provider, 'subject', m.subject,
      'verified', exists (
        select from emailverification_verified_emails v
        where v.app_id = u.app_id and v.user_id = u.known_id and v.email = m.email
      )
    ) order by m.time_joined), '[]')
    from users u join methods m on m.app_id = u.app_id and m.user_id = u.user_id
    where u.id = account.id
  ),
  'apps', (
    select coalesce(json_agg(json_build_object('secret', t.secret_key, 'period', t.period)), '[]')
    from totp_user_devices t
    where t.app_id = :'app' and t.verified and t.user_id in (
      select unnest(array[u.id, u.known_id, trim(u.user_id)]) from users u where u.id = account.id
    )
  ),
  'requiredFactors', (
    select m.user_metadata::json #> '{_supertokens,requiredSecondaryFactors}'
    from user_metadata m where m.app_id = :'app' and m.user_id = account.id
  ),
  'roles', (
    select coalesce(json_agg(distinct r.role), '[]') from user_roles r where r.app_id = :'app' and r.user_id = account.id
  )
)
from (select distinct id from users) account
order by account.id;
