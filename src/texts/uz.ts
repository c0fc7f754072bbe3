import type { Texts } from "./reasons.ts";

export const uz: Texts = {
  reasons: {
    already_confirmed: "Bu taklif avval qabul qilingan, bron kuchda. Voz kechish uchun bronni bekor qiling.",
    already_paid: "Bu band qilish allaqachon toʻlangan. Qayta toʻlash shart emas.",
    attended: "Bu tashrif boʻlib oʻtgan, bronni oʻzgartirib boʻlmaydi.",
    busy: "Javob oʻz vaqtida kelmadi. Birozdan keyin qayta urinib koʻring.",
    cancelled: "Bu band qilish bekor qilingan. Vaqtni qaytadan tanlang.",
    closed: "Bu vaqtda qabul yoʻq. Boshqa vaqtni tanlang.",
    conflict: "Toʻlov buyurtmaga mos kelmadi. Iltimos, qaytadan boshlang.",
    forbidden_by_policy:
      "Bu band qilishni oʻzingiz koʻchirishingiz yoki bekor qilishingiz uchun endi kech. Bizga yozing.",
    hold_lapsed: "Bu vaqt endi siz uchun saqlanmayapti. Vaqtni qaytadan tanlang: bu hisobni endi toʻlab boʻlmaydi.",
    hold_too_long: "Vaqtni bunchalik uzoq saqlab turib boʻlmaydi. Qisqaroq muddat tanlang.",
    idempotency_conflict: "Bu soʻrov avval boshqa maʼlumotlar bilan yuborilgan. Iltimos, qaytadan boshlang.",
    in_past: "Bu vaqt allaqachon boshlangan. Keyinroq vaqtni tanlang.",
    limit_reached: "Bu kunga boshqa yozilib boʻlmaydi. Boshqa kunni tanlang.",
    no_capacity: "Bu vaqtda boʻsh joylar yetarli emas. Boshqa vaqtni tanlang.",
    not_confirmed: "Bu bron hali tasdiqlanmagan, hozir buning iloji yoʻq.",
    not_held: "Bu vaqt hali siz uchun ushlab turilmagan. Toʻlang yoki vaqtni qaytadan tanlang.",
    payment_in_progress: "Bu band qilish uchun toʻlov allaqachon ketmoqda. Bir necha daqiqa kuting.",
    payment_required: "Avval bu bron uchun toʻlash kerak.",
    pool_full: "Bu vaqtda hamma band. Boshqa vaqtni tanlang.",
    price_differs: "Yangi vaqtning narxi boshqacha. Bu band qilishni bekor qilib, yangisini yarating.",
    quote_changed: "Shartlar shu orada oʻzgardi. Ularni yana bir bor koʻrib chiqing.",
    slot_taken: "Bu vaqt hozirgina band qilindi. Boshqa vaqtni tanlang.",
    too_early: "Buni faqat boshlangandan keyin qilish mumkin.",
    too_far: "Bu kunga yozilish hali ochilmagan. Ertaroq kunni tanlang.",
    too_many_entries: "Siz kutish roʻyxatida allaqachon bir necha marta turibsiz. Avval bittasidan chiqing.",
    too_many_holds: "Siz uchun allaqachon bir nechta vaqt saqlanmoqda. Avval birini toʻlang yoki bekor qiling.",
    too_soon: "Bu vaqtgacha juda oz qoldi. Keyinroq vaqtni tanlang.",
    unavailable: "Band qilishni oʻz vaqtida tekshirib boʻlmadi. Pul yechilmadi, birozdan keyin qayta urinib koʻring.",
    unknown_booking: "Bunday band qilish topilmadi. Vaqtni qaytadan tanlang.",
    unknown_entry: "Kutish roʻyxatida bunday yozuv yoʻq.",
    unknown_offer: "Bu taklif endi kuchda emas.",
    unknown_resource: "Buni endi band qilib boʻlmaydi. Boshqasini tanlang.",
    unknown_service: "Bu xizmat endi taklif qilinmaydi. Boshqasini tanlang.",
    window_too_short: "Koʻrsatilgan vaqt xizmat davomiyligidan qisqa. Uzunroq vaqtni koʻrsating.",
    wrong_amount: "Narx oʻzgardi. Vaqtni qaytadan tanlang.",
    wrong_payer: "Bu hisob boshqa odam uchun. Oʻzingiz uchun vaqt tanlang.",
  },
  messages: {
    booked: "Siz yozildingiz: {when}, {duration}. Koʻchirish yoki bekor qilish: {manage}",
    cancelled: "Band qilish bekor qilindi: {when}.",
    cancelled_no_refund: "Band qilish bekor qilindi: {when}. Pulni qaytarish uchun kech boʻlgan edi.",
    cancelled_refund: "Band qilish bekor qilindi: {when}. {amount} qaytarilmoqda; pul qaytgach, xabar beramiz.",
    hold_expired:
      "{when}: bu vaqt endi siz uchun saqlanmayapti. Yozilish uchun vaqtni qaytadan tanlang; eski hisobni toʻlab boʻlmaydi.",
    moved: "Band qilish koʻchirildi: {when}, {duration}. Koʻchirish yoki bekor qilish: {manage}",
    payment_late:
      "Toʻlov vaqt siz uchun saqlanmay qoʻygandan keyin keldi, shuning uchun vaqt band qilinmadi. {amount} qaytarilmoqda; pul qaytgach, xabar beramiz.",
    payment_review:
      "Toʻlov keldi, lekin hech bir band qilishga mos kelmadi. Uni xodim koʻrib chiqmoqda va sizga yozadi.",
    payment_surplus:
      "Bu band qilish allaqachon toʻlangan edi, ikkinchi toʻlov ortiqcha. {amount} qaytarilmoqda; pul qaytgach, xabar beramiz.",
    refund_needs_attention:
      "{amount} qaytarilishi odatdagidan koʻproq vaqt olmoqda. Uni xodim koʻrib chiqmoqda; pul yoʻqolmagan.",
    refunded: "{amount}: pul qaytarildi.",
  },
};
