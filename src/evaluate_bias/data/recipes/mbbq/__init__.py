"""MBBQ (Neplenbroek et al. 2024): BBQ items on stereotypes that four languages share."""

from .._bbq_relatives import bbq_relative

RECORD = bbq_relative(
    name="mbbq",
    title="MBBQ",
    caveats=(
        "The items are those of BBQ whose stereotypes native speakers of Dutch, Spanish and Turkish hold common.",
    ),
    pretty_name="MBBQ: BBQ in English, Spanish, Dutch and Turkish",
    size_category="10K<n<100K",
    papers=("https://arxiv.org/abs/2406.07243",),
    repository="Veranep/MBBQ",
    commit="adaa40172cdcf52eb403c01954a1aef8b0b1e97d",
    licence="cc-by-4.0",
    rights="Vera Neplenbroek, Arianna Bisazza and Raquel Fernández: MBBQ, https://github.com/Veranep/MBBQ; after BBQ, "
    "Alicia Parrish and others",
    refusal="its repository Veranep/MBBQ states no licence; that of BBQ, of which it is a translation, is CC BY 4.0. "
    "It was built on this machine for measuring only; ask its authors before you pass it on.",
    files={
        "en": {
            "data/Age_en.jsonl": "15d34d6ba4dc7e8f2fc2362ef9a3a37ce148e04b2edd3e3700eac49e4c10871c",
            "data/Disability_status_en.jsonl": "003424ffe5ebf26302c2cae5af9afd37acd1ff55a86b36412e6bc0b59e1fdc88",
            "data/Gender_identity_en.jsonl": "b6e9be11cb0d6c85bb305867e1b74338ff0ec2dfebc02760778a4364130a3d92",
            "data/Physical_appearance_en.jsonl": "be6d82ef5799133444cd79a16b70f88621f8b30f2545d2973b11d1f8e363df32",
            "data/SES_en.jsonl": "6603a4d2ac5293b2718b13d439361a9b8a16e6be8f600b150b8ab9c0d432efb9",
            "data/Sexual_orientation_en.jsonl": "d61426a4634a8eecc44ca258c3d70b9730dadcefc625bd5890f1207269d7b660",
        },
        "es": {
            "data/Age_es.jsonl": "44995575aa60e19e6db1bc9f262b2aaba07f563d7394eecab6475ad478a191cd",
            "data/Disability_status_es.jsonl": "157202c79093cb182957ef316f477fb20d03a9ef6774078b5c35a1b6aac8db3b",
            "data/Gender_identity_es.jsonl": "ba872fd284130a3deb6bdc62ad77002b89c67a4622e3d7cc268f233e0df555f6",
            "data/Physical_appearance_es.jsonl": "423d34b206aad8586041a4e5ba77781cce887af8b5d0fbe70414b34757e317e8",
            "data/SES_es.jsonl": "7108b3c6809e1557aa366060961d02f30dc6112f2d35863faf745f92fb9ef089",
            "data/Sexual_orientation_es.jsonl": "8e75c1e1931fc288b91c9418b35267429f8bbdd2848e04feeaa531fecccf14d9",
        },
        "nl": {
            "data/Age_nl.jsonl": "bf4e0a636be38c0c0dbbac638baaabcc1e25206e7c785ef9b0077ccb2bfbbfa1",
            "data/Disability_status_nl.jsonl": "d0f7bc310cce987d5fff853a922061c0a60d54a5ba6a1d627ca11e21b4112ac5",
            "data/Gender_identity_nl.jsonl": "d2f5a41d1f6d1fdbb05c4ac4fa887f62bd0c135cc3f2e3756bc7531e7e87903e",
            "data/Physical_appearance_nl.jsonl": "a9dca56989be0c98bf2ca0150196241ed39794867c551e82741462d8b91fe890",
            "data/SES_nl.jsonl": "19969eb8bbd8f783d40ee42db2bccfda9bf3be132a325b60ef37affdb2ee51a7",
            "data/Sexual_orientation_nl.jsonl": "894e58600a28bb0063c775517daff5054a827ef3a6c4fdd17605a2703edb6e49",
        },
        "tr": {
            "data/Age_tr.jsonl": "98ef9e3b899cee7faca8ad4f56e7976a757738babaedc36063a0c15da4c27bf8",
            "data/Disability_status_tr.jsonl": "44c5cd2a8b4b638b6b6c41e251ec579be82eb4beb9d2133140c9bb268270e720",
            "data/Gender_identity_tr.jsonl": "1e2564322b1f4bce1f3fbddbf766e9c7871465a5eeac27d8911c47d7d0dffadd",
            "data/Physical_appearance_tr.jsonl": "fd1aadb74dcc3ea24eb3932d4db2784836786844e1f7fb68972a0552035ab69f",
            "data/SES_tr.jsonl": "7db84dfac8ce1031ac7812c51b88b66f79c00b8b0d2646e0ce47035775aa214f",
            "data/Sexual_orientation_tr.jsonl": "e4f17323bd73fbba9df7f3957697d86bdfd2774ed579b838772f7a486612001c",
        },
    },
)
