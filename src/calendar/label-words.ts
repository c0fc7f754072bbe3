/** The languages that bookonce speaks to customers. */
export type LabelLocale = "en" | "ru" | "uz";

/** Whose clock a time is read from. */
export type Whose = "place" | "viewer";

/** The words of a label. Replace `place` with what the business calls itself: "studio time", "clinic time". */
export interface LabelWords {
  readonly place: string;
  readonly viewer: string;
}

export const labelWords: Readonly<Record<LabelLocale, LabelWords>> = {
  en: { place: "local time", viewer: "your time" },
  ru: { place: "местное время", viewer: "ваше время" },
  uz: { place: "mahalliy vaqt", viewer: "sizning vaqtingiz" },
};

/**
 * The city that a zone is named after, in a language: "Asia/Yekaterinburg" is Yekaterinburg, Екатеринбург. Cities that are not in our
 * short table are shown as the zone spells them.
 */
export function cityOf(zone: string, locale: LabelLocale): string {
  const name = zone.slice(zone.lastIndexOf("/") + 1);
  return cities[name]?.[locale] ?? name.replaceAll("_", " ");
}

type Translated = Readonly<Partial<Record<LabelLocale, string>>>;

// Intl has no city names to give; these are where customers of Uzbek- and Russian-speaking businesses are.
const cities: Readonly<Record<string, Translated>> = {
  Almaty: { ru: "Алматы", uz: "Olmaota" },
  Ashgabat: { ru: "Ашхабад", uz: "Ashxobod" },
  Baku: { ru: "Баку", uz: "Boku" },
  Bangkok: { ru: "Бангкок" },
  Berlin: { ru: "Берлин" },
  Bishkek: { ru: "Бишкек" },
  Chelyabinsk: { ru: "Челябинск" },
  Chisinau: { ru: "Кишинёв", uz: "Kishinyov" },
  Dubai: { ru: "Дубай", uz: "Dubay" },
  Dushanbe: { ru: "Душанбе" },
  Irkutsk: { ru: "Иркутск" },
  Istanbul: { ru: "Стамбул" },
  Jerusalem: { ru: "Иерусалим", uz: "Quddus" },
  Kaliningrad: { ru: "Калининград" },
  Kamchatka: { ru: "Камчатка" },
  Kiev: { en: "Kyiv", ru: "Киев", uz: "Kiyev" },
  Krasnoyarsk: { ru: "Красноярск" },
  Kyiv: { ru: "Киев", uz: "Kiyev" },
  London: { ru: "Лондон" },
  Los_Angeles: { ru: "Лос-Анджелес", uz: "Los-Anjeles" },
  Madrid: { ru: "Мадрид" },
  Magadan: { ru: "Магадан" },
  Minsk: { ru: "Минск" },
  Moscow: { ru: "Москва", uz: "Moskva" },
  New_York: { ru: "Нью-Йорк", uz: "Nyu-York" },
  Novosibirsk: { ru: "Новосибирск" },
  Omsk: { ru: "Омск" },
  Paris: { ru: "Париж", uz: "Parij" },
  Prague: { ru: "Прага", uz: "Praga" },
  Samara: { ru: "Самара" },
  Samarkand: { ru: "Самарканд", uz: "Samarqand" },
  Seoul: { ru: "Сеул", uz: "Seul" },
  Shanghai: { ru: "Шанхай", uz: "Shanxay" },
  Tashkent: { ru: "Ташкент", uz: "Toshkent" },
  Tbilisi: { ru: "Тбилиси" },
  Tokyo: { ru: "Токио", uz: "Tokio" },
  Vladivostok: { ru: "Владивосток" },
  Warsaw: { ru: "Варшава", uz: "Varshava" },
  Yakutsk: { ru: "Якутск" },
  Yekaterinburg: { ru: "Екатеринбург" },
  Yerevan: { ru: "Ереван" },
};
