/**
 * The functions that indexes are made of. They speak of nothing but their arguments and what PostgreSQL itself has, so
 * that they are the same wherever they are called.
 *
 * `search_grams` gives the characters of a text and its pairs of neighbouring characters: an index of them finds words
 * of one or two letters, and words of signs or scripts that trigrams leave out. `member_tokens` adds what else a list
 * is often narrowed by, and the division, so that one index leads to the members of one division that have all of it.
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
