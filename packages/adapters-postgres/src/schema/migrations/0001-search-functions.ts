/**
 * The functions of two indexes of release 0.1.0, `user_account_tokens` and `division_tokens`. Migration 0007 drops these indexes,
 * but keeps the functions, because statements of release 0.1.0 call them. They use only their arguments and built-in
 * functions, so that they return the same result in every session.
 *
 * `search_grams` returns the characters of a text and its pairs of adjacent characters. `member_tokens` adds the division and the
 * fields by which lists are often filtered.
 */
export const SEARCH_FUNCTIONS: readonly string[] = [
  String.raw`create function "search_grams"("text" text) returns text[] language sql immutable parallel safe
    return string_to_array("text", null)
      || string_to_array(rtrim(regexp_replace("text", '(..)', E'\\1\x01', 'g'), E'\x01'), E'\x01')
      || string_to_array(rtrim(regexp_replace(substr("text", 2), '(..)', E'\\1\x01', 'g'), E'\x01'), E'\x01')`,
  `create function "member_tokens"("division_id" uuid, "search" text, "groups" "member_group"[],
      "is_active" boolean, "is_staff" boolean, "is_superuser" boolean)
    returns text[] language sql immutable parallel safe
    return "search_grams"("search") || array["division_id"::text,
      case when "is_active" then 'is_active' else 'not is_active' end,
      case when "is_staff" then 'is_staff' else 'not is_staff' end,
      case when "is_superuser" then 'is_superuser' else 'not is_superuser' end,
      case when 'Leader' = any("groups") then 'Leader' end,
      case when 'Guest' = any("groups") then 'Guest' end,
      case when 'User' = any("groups") then 'User' end]`,
];
